import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Arrivals } from './arrivals.ts'
import type { Cluster, Source } from './cluster.ts'
import { oneOf } from './faults/fault.ts'
import { isAccepted } from './traffic.ts'

/** Planted in every field of a call that a deletion must remove. */
const PLANTED = 'PLANTED-VALUE'
const USERS_OF_A_DELETION = 3
const CALLS_OF_A_USER = 8
const PAUSE_MS = 100

interface Deletion {
  readonly id: string
  readonly state: string
}

/** Users who send calls and are deleted while faults happen. */
export class DeletedUsers {
  readonly #cluster: Cluster
  readonly #sources: readonly Source[]
  readonly #random: () => number
  readonly #userIds: string[] = []
  readonly #deletionIds: string[] = []

  constructor(cluster: Cluster, sources: readonly Source[], random: () => number) {
    this.#cluster = cluster
    this.#sources = sources
    this.#random = random
  }

  get count(): number {
    return this.#deletionIds.length
  }

  /** Sends calls from new users. Resolves to their ids. */
  async sendCalls(): Promise<readonly string[]> {
    const userIds = Array.from({ length: USERS_OF_A_DELETION }, () => `deleted-${randomUUID()}`)
    for (const userId of userIds)
      for (let call = 0; call < CALLS_OF_A_USER; call++) await this.#send(userId)
    return userIds
  }

  /** Requests the users' deletion from any node until one accepts, while they send more calls. */
  async delete(userIds: readonly string[]): Promise<void> {
    this.#userIds.push(...userIds)
    const body = { userIds, suppress: true }
    const key = randomUUID()
    let deletion: Deletion | undefined
    while (deletion === undefined) {
      const node = oneOf(this.#cluster.nodes, this.#random)
      deletion = await this.#cluster.post<Deletion>(node, 'deletions', { body, key })
      if (deletion === undefined) await sleep(PAUSE_MS)
    }
    this.#deletionIds.push(deletion.id)
    for (const userId of userIds) await this.#send(userId)
  }

  /** The number of unfinished deletions. */
  async open(): Promise<number> {
    const api = this.#cluster.apiOf(this.#cluster.nodes[0]!)
    const all = await Promise.all(
      this.#deletionIds.map((id) => api.call<Deletion>('GET', `deletions/${id}`)),
    )
    return all.filter(({ state }) => state !== 'finished').length
  }

  /** The tables that contain a value of these users. */
  async tablesWithTheirData(): Promise<readonly string[]> {
    const hex = Buffer.from(PLANTED).toString('hex')
    const tables = await this.#cluster.sql(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'hookline' ORDER BY 1",
    )
    const found: string[] = []
    for (const { tablename } of tables) {
      const [row] = await this.#cluster.sql(
        `SELECT count(*)::int AS rows FROM "${String(tablename)}" AS each
          WHERE strpos(each::text, '${PLANTED}') > 0 OR strpos(each::text, '${hex}') > 0`,
      )
      if (row!['rows'] !== 0) found.push(`${String(tablename)}: ${String(row!['rows'])} rows`)
    }
    return found
  }

  /** Errors in the notices: each destination must get one per user, possibly repeated. */
  async noticeFaults({ notices }: Arrivals, paths: readonly string[]): Promise<readonly string[]> {
    const deletions = await this.#deletionsByUser()
    const byUser = new Map<string, Set<string>>()
    for (const { path, userId, webhookId } of notices) {
      const key = `${path} ${userId}`
      byUser.set(key, (byUser.get(key) ?? new Set()).add(webhookId))
    }
    const expected = this.#userIds.flatMap((userId) => paths.map((path) => `${path} ${userId}`))
    const wrong = expected.filter((key) => byUser.get(key)?.size !== 1)
    // A repeated request may have made a second deletion.
    const deletionsOf = (key: string): number => deletions.get(key.slice(key.indexOf(' ') + 1)) ?? 0
    const others = [...byUser.keys()].filter((key) => !expected.includes(key))
    return [
      ...wrong.map(
        (key) => `${key}: ${byUser.get(key)?.size ?? 0} notices of ${deletionsOf(key)} deletions`,
      ),
      ...others.map((key) => `${key}: a notice of a user who was not deleted`),
    ]
  }

  /** The number of deletions for each user. */
  async #deletionsByUser(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#cluster.sql(
      "SELECT id, count(DISTINCT deletion_id)::int AS deletions FROM deletion_ids WHERE kind = 'user' GROUP BY id",
    )
    return new Map(rows.map((row) => [row['id'] as string, row['deletions'] as number]))
  }

  async #send(userId: string): Promise<void> {
    const source = oneOf(this.#sources, this.#random)
    const call = {
      type: 'track',
      // Unique for each user, because a deletion keeps event names that several users have sent.
      event: `${PLANTED}-${userId}`,
      userId,
      anonymousId: `${PLANTED}-${userId}`,
      messageId: `${PLANTED}-${randomUUID()}`,
      properties: { it: PLANTED },
    }
    while (!(await isAccepted(oneOf(this.#cluster.nodes, this.#random), source.writeKey, [call])))
      await sleep(PAUSE_MS)
  }
}
