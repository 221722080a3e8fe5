/** Shorter secrets occur in ordinary text, and protect nothing. */
const MIN_SECRET = 4

/** Replaces the secrets in a text. One asterisk per byte, so that later text does not move. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= MIN_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .reduce(
      (shown, secret) =>
        shown.includes(secret)
          ? shown.replaceAll(secret, '*'.repeat(Buffer.byteLength(secret)))
          : shown,
      text,
    )
}
