import { type AcceptedEvent, newId } from '@hookline/protocol'
import { randomBytes, randomUUID } from 'node:crypto'
import type { Backend } from '../../../../src/backend/backend.ts'
import { type ClusterOptions, openClusterBackend } from '../../../../src/backend/cluster/open.ts'
import { Postgres } from '../../../../src/backend/cluster/postgres/postgres.ts'
import { DAY_MS } from '../../../../src/backend/days.ts'
import { createDay } from '../../../../src/backend/cluster/upkeep/partitions.ts'
import { Redacted } from '../../../../src/util/secrets/redacted.ts'
import { SecretBox } from '../../../../src/util/secrets/secret-box.ts'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { NATS_VARIABLE } from '@hookline/testing/cluster/cluster-servers'
import { PostgresServer } from '@hookline/testing/cluster/postgres-server'
import { newReplay } from '@hookline/testing/records/new-replay'
import { attemptOf, deliveryOf } from '../../conformance/deliveries/recorded-delivery.ts'
import { plantNames } from '../../conformance/planted-names.ts'
import { announce, follow, user } from '../../conformance/profiles/profile-changes.ts'

/** Planted wherever a client, or a receiver's response, can put text. */
export const PLANTED = 'PLANTED-VALUE'
/** The day with most of the events. */
export const DAY = Math.floor(NOON / DAY_MS)

/** A node on a dedicated PostgreSQL server whose files tests can search. */
export class ErasedCluster implements AsyncDisposable {
  readonly server: PostgresServer
  readonly options: ClusterOptions
  readonly postgres: Postgres
  readonly backend: Backend
  readonly #stack: AsyncDisposableStack

  private constructor(
    opened: Pick<ErasedCluster, 'server' | 'options' | 'postgres' | 'backend'>,
    stack: AsyncDisposableStack,
  ) {
    this.server = opened.server
    this.options = opened.options
    this.postgres = opened.postgres
    this.backend = opened.backend
    this.#stack = stack
  }

  static async open(): Promise<ErasedCluster> {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await PostgresServer.start())
    const options: ClusterOptions = {
      databaseUrl: new Redacted(await server.newDatabase()),
      natsUrl: new Redacted(process.env[NATS_VARIABLE]!),
      natsPrefix: `hookline_test_${randomBytes(6).toString('hex')}`,
      encryptionKey: new Redacted(SecretBox.newKey()),
    }
    const backend = stack.use(await openClusterBackend(options))
    const postgres = stack.use(new Postgres({ url: options.databaseUrl }))
    await postgres.write((transaction) => createDay(transaction, DAY))
    return new ErasedCluster({ server, options, postgres, backend }, stack.move())
  }

  /** Archives events directly, bypassing the log. */
  async archive(events: readonly AcceptedEvent[]): Promise<void> {
    await this.backend.events.archive(events.map((event) => ({ event, declined: [] })))
  }

  /** Purges u1, and u2, which shares its profile through an alias. Then erases. */
  async deleteUser(): Promise<void> {
    const { deletions } = this.backend
    const id = newId('del', NOON)
    const userIds = ['u1', 'u2']
    const request = { id, createdAt: NOON, sourceIds: null, suppress: false, users: 2 }
    await deletions.create(request, { userIds })
    await deletions.advance(id, 'purge', NOON)
    const purge = { deletionId: id, userIds, sourceIds: null }
    let cursor = await deletions.purge(purge)
    while (cursor !== null) cursor = await deletions.purge({ ...purge, cursor })
    await deletions.erase(new AbortController().signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}

/** Random letters, because compression of repetitive text would hide the planted value. */
function randomText(bytes: number): string {
  return randomBytes(Math.ceil(bytes * 0.75)).toString('base64')
}

/** Events, some of them from u1 with the planted value wherever a client can put it. */
export function someEvents(count: number, random: () => number, at = NOON): AcceptedEvent[] {
  return Array.from({ length: count }, () => {
    const isMine = random() < 0.1
    const planted = isMine ? PLANTED : ''
    const text = `${planted}${randomText(random() * (random() < 0.05 ? 9000 : 700))}`
    // Not from `random`: in one of 200 runs, two of 6,000 seeded numbers would be equal, which would make duplicates.
    const id = randomUUID()
    return acceptedEvent({
      at,
      messageId: `${id}${planted}`,
      userId: isMine ? 'u1' : `${id}-other`,
      anonymousId: `${planted}${id}`,
      properties: { text },
    })
  })
}

/** Records, for each event, a delivery that failed once, with a response that echoes the request. */
export async function failOnce(
  { deliveries }: Backend,
  events: readonly AcceptedEvent[],
): Promise<void> {
  await deliveries.record(
    events.map((event) => ({
      delivery: deliveryOf(event, { attemptCount: 1 }),
      attempts: [attemptOf({ id: newId('att', NOON), body: JSON.stringify(event.event) })],
    })),
  )
}

/** Fills the profiles of u1 and u2 with the planted value everywhere, some of it later overwritten. */
export async function fillProfiles({ backend }: ErasedCluster): Promise<void> {
  const { facts, evaluations, memberships } = backend
  const retention = { maxAgeMs: null, maxCount: 9 }
  const { number } = await facts.put({ definition: 'a', retention, reachesBackTo: null })
  const links = [{ kind: 'anonymous' as const, id: `anonymous-${PLANTED}` }, user('u2')]
  const of = (value: string) => ({ traits: { name: value }, facts: [{ clause: number, value }] })
  await follow({ backend } as never, [
    { userId: 'u1', links, ...of(PLANTED) },
    { userId: 'u1', ...of(`${PLANTED}-again`) },
    { userId: 'u3', ...of('other') },
  ])
  const list = { audienceId: 'aud_list', space: 'default' }
  await memberships.changeList(list, { add: ['u1', 'u2', 'u3'], remove: [], at: NOON })
  const due = await evaluations.due(NOON, 9)
  const origin = { computationId: 'aud_a', destinationIds: [] }
  await evaluations.commit(
    due.map(({ profileId, version, userIds }) => {
      const value = userIds.includes('u1') ? PLANTED : 'other'
      return {
        profileId,
        version,
        recheckAt: null,
        results: [{ computationId: 'aud_a', value, since: NOON }],
        announcements: userIds.map((userId) => {
          const announcement = announce(userId, 1, value)
          const event = acceptedEvent({ sourceId: 'aud_a', userId, traits: { of: value }, origin })
          return { ...announcement, event }
        }),
      }
    }),
  )
}

/**
 * Fills other places that may contain user data: the reason of a quarantine, the text filter of a finished replay, and event
 * names.
 */
export async function fillOthers(
  { backend }: ErasedCluster,
  [event]: readonly AcceptedEvent[],
): Promise<void> {
  await backend.quarantine.add([{ id: event!.id, reason: `${PLANTED} is bad`, at: NOON }])
  const replay = newReplay({ selection: { text: PLANTED } })
  await backend.replays.create(replay)
  await backend.replays.cancel(replay.id, NOON)
  await plantNames(backend, PLANTED)
}
