import type { Destination, Source } from '@hookline/cli/management-client'
import { lastUseOf } from '../../domain/last-use.ts'

export type StepState = 'done' | 'current' | 'later'

/** The first step that is not done is current. */
export function stepStates(done: readonly boolean[]): StepState[] {
  const current = done.indexOf(false)
  return done.map((isDone, index) => (isDone ? 'done' : index === current ? 'current' : 'later'))
}

/** The sources that accept calls: used ones first, each group newest first. */
export function usableSources(sources: readonly Source[]): readonly Source[] {
  const usable = sources.filter(({ enabled, writeKeys }) => enabled && writeKeys.length > 0)
  const isUnused = (source: Source): number => Number(lastUseOf(source) === undefined)
  return usable.toSorted((a, b) => isUnused(a) - isUnused(b))
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
  return hasOwn ? 'webhook secret' : 'shared secret'
}
