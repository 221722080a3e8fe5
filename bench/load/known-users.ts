import { DEFAULT_SPACE } from '@hookline/protocol'
import { openEmbeddedBackend } from '../../packages/server/src/backend/embedded/open.ts'
import type { ProfileChange } from '../../packages/server/src/backend/profiles.ts'
import { userIdOf } from './calls.ts'

/** One in this many users has the trait that the audiences require. */
const USERS_PER_PRO = 50
/** The number of users per slice. */
const SLICE = 10_000

/** Adds profiles with traits for the users of the first `count` calls in a load, to an empty, stopped service. */
export async function addKnownUsers(dataDir: string, count: number): Promise<void> {
  await using backend = await openEmbeddedBackend({ dataDir, maxWaitingBytes: 2 ** 26 })
  const { profiles } = backend
  await profiles.begin(100)
  for (let after = 0; after < count; after += SLICE) {
    const length = Math.min(SLICE, count - after)
    const changes = Array.from({ length }, (_, index) => identified(after + index))
    await profiles.apply({ after, through: after + length, changes, purges: 0, at: Date.now() })
  }
}

function identified(number: number): ProfileChange {
  const now = Date.now()
  return {
    position: number + 1,
    eventId: `evt_${String(number).padStart(26, '0')}`,
    messageId: `message ${number}`,
    sourceId: 'src_known',
    space: DEFAULT_SPACE,
    type: 'identify',
    userId: userIdOf(number),
    links: [],
    hasPlaceholder: false,
    timestamp: now,
    receivedAt: now,
    traits: { plan: number % USERS_PER_PRO === 0 ? 'pro' : 'free', country: 'DE', name: 'Ada' },
    facts: [],
  }
}
