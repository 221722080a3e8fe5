/** Shorter secrets occur in ordinary text, and protect nothing. */
const MIN_SECRET = 4

/** Replaces the secrets in a text. One asterisk per byte, so that later text does not move. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= MIN_SECRET)
    .flatMap(formsOf)
    .toSorted((a, b) => b.length - a.length)
    .reduce(
      (shown, secret) =>
        shown.includes(secret)
          ? shown.replaceAll(secret, '*'.repeat(Buffer.byteLength(secret)))
          : shown,
      text,
    )
}

/** The secret as it is, and as in a JSON string, in which PHP also escapes slashes. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  return [...new Set([secret, json, json.replaceAll('/', String.raw`\/`)])]
}
