import type { Destination, Source } from '@hookline/cli/management-client'

export type StepState = 'done' | 'current' | 'later'

/** The first step that is not done is current. */
export function stepStates(done: readonly boolean[]): StepState[] {
  const current = done.indexOf(false)
  return done.map((isDone, index) => (isDone ? 'done' : index === current ? 'current' : 'later'))
}

/** The newest source that accepts calls, or the one with this id. */
export function usableSource(
  sources: readonly Source[],
  id: string | undefined,
): Source | undefined {
  const usable = sources.filter(({ enabled, writeKeys }) => enabled && writeKeys.length > 0)
  return usable.find((each) => each.id === id) ?? usable[0]
}

/** The newest enabled destination of the source. */
export function usableDestination(
  destinations: readonly Destination[],
  source: Source | undefined,
): Destination | undefined {
  return destinations.find(
    ({ sourceId, enabled, settings }) =>
      sourceId === source?.id && enabled && settings.webhooks.length > 0,
  )
}

/** Whether all requests are signed: with a key pair, the shared secret, or the webhook secret of each URL. */
export function isSigned(destination: Destination | undefined): boolean {
  if (destination === undefined) return false
  const { signature, sharedSecret, webhooks } = destination.settings
  const hasSecrets = sharedSecret.set || webhooks.every(({ secret }) => secret !== undefined)
  return signature !== 'secret' || hasSecrets
}

/** What its receiver needs to verify requests. */
export function verifiedWith({ settings }: Pick<Destination, 'settings'>): string {
  const { signature, sharedSecret, webhooks } = settings
  const hasOwn = webhooks.some(({ secret }) => secret !== undefined)
  const hasSecret = signature !== 'ed25519' && (sharedSecret.set || hasOwn)
  if (signature !== 'secret' && !hasSecret) return 'public key'
  return hasOwn ? 'secret of its URL' : 'shared secret'
}
