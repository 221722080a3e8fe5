import type { Suppression } from '../../api/generated/management-client.ts'

/** Says that nothing of a user is stored, since when, and how many calls were left out. */
export function suppressionText({ userId, anonymousId, sourceId, ...rest }: Suppression): string {
  const { since, deletionId, callsLeftOut, lastLeftOutAt } = rest
  const where = sourceId === null ? 'every source' : sourceId
  const calls = callsLeftOut === 1 ? '1 call was left out' : `${callsLeftOut} calls were left out`
  const last = lastLeftOutAt === null ? '' : `, the last one at ${lastLeftOutAt}`
  const who = userId === null ? `anonymousId ${anonymousId}` : `user ${userId}`
  return `The ${who} is suppressed in ${where} since ${since} (${deletionId}): ${calls}${last}.`
}
