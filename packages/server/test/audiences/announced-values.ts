import type { Json } from '@hookline/protocol'
import type { OpenAudiences } from './open-audiences.ts'

/** The announcements so far, in log order: `u1 true`, or `u1 true dst_b` with `destinations`. */
export async function announcedValues(
  open: OpenAudiences,
  { destinations = false } = {},
): Promise<readonly string[]> {
  return (await open.announced()).map(({ event, origin }) => {
    const [value] = Object.values(event.traits!) as [Json]
    const to = destinations ? ` ${origin!.destinationIds.join()}` : ''
    return `${event.userId} ${JSON.stringify(value)}${to}`
  })
}

/** The stored members, by the first userId of each. */
export async function membersOf(open: OpenAudiences, id = 'aud_a'): Promise<readonly unknown[]> {
  const { data } = await open.backend.memberships.list(id, { limit: 100 })
  return data.map(({ userId }) => userId)
}

/** An identify call with the trait `plan`. */
export const plan = (userId: string, value: Json) => ({
  type: 'identify' as const,
  userId,
  traits: { plan: value },
})
