import { BUILT_IN_SOURCE_ID, type Destination, idFrom, LIMITS, timeOfId } from '@hookline/protocol'
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { type Backend, BackendUnavailableError } from '../backend/backend.ts'
import type { Deletion, DeletionRequest, Purge, Subject } from '../backend/deletions.ts'
import type { NewNotice } from '../backend/notices.ts'
import type { OwnKeys } from '../backend/nodes.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Logger } from '../telemetry/logger.ts'
import { LogThrottle } from '../util/limits/log-throttle.ts'
import type { Clock } from '../util/time/clock.ts'
import { RecurringWork } from '../util/time/recurring.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import type { Worker } from '../util/workers/worker.ts'

interface DeletionWorkerOptions extends Pick<
  Backend,
  'catalog' | 'deletions' | 'notices' | 'suppressions'
> {
  readonly activity: Pick<ActivityListener, 'purged' | 'updated'>
  readonly clock: Clock
  readonly logger: Logger
  /** Called after user data has been erased from the database; resolves once copies of the database are removed. */
  readonly onErased: () => Promise<void>
  readonly onNotices: () => void
}

/** The number of users per read, and of notices per write. These bound how long other writes wait. */
const USERS_PER_SLICE = 200
const NOTICES = 500
/** How often the worker checks for deletions requested on another node. */
const POLL_EVERY_MS = 10_000
const LOG_EVERY_MS = 10 * 60_000

/**
 * Carries out deletions one at a time, oldest first. Each step is idempotent and is recorded when it is done, so after
 * a crash the deletion resumes at the interrupted step.
 *
 *     queued ─▶ suppress ─▶ purge, erase ─▶ notify ─▶ done: the notice lanes deliver the notices
 *               (if requested)
 *
 * The order matters: no new events of a suppressed user arrive during the purge, and a receiver is notified only after
 * the data is gone.
 */
export class DeletionWorker implements Worker {
  readonly name = 'deletions'
  readonly #options: DeletionWorkerOptions
  readonly #recurring: RecurringWork
  /** A failing deletion is retried every ten seconds, and logged every ten minutes. */
  readonly #failures: LogThrottle
  /**
   * The deletion that was purged last. If erasing its data fails, only the erasure is retried: a second purge would remove the
   * user's new data.
   */
  #purged: string | undefined
  readonly #slices: TimeSlices

  constructor(options: DeletionWorkerOptions) {
    this.#options = options
    this.#failures = new LogThrottle(options.clock, LOG_EVERY_MS)
    this.#slices = new TimeSlices(options.clock)
    const { clock } = options
    this.#recurring = new RecurringWork({ clock, work: (signal) => this.#work(signal) })
  }

  wake(): void {
    this.#recurring.wake()
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#recurring.run(signal)
  }

  async #work(signal: AbortSignal): Promise<number> {
    for (const id of await this.#open()) {
      try {
        await this.#carryOut(id, signal)
      } catch (error) {
        // A failing deletion does not block the others.
        if (error instanceof BackendUnavailableError) throw error
        this.#failures.count(id, (failures) =>
          this.#options.logger.error({ deletionId: id, failures, err: error }, 'deletion.failed'),
        )
      }
    }
    return POLL_EVERY_MS
  }

  async #carryOut(id: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const deletion = await this.#options.deletions.find(id)
      if (deletion === undefined || deletion.step === 'done' || signal.aborted) return
      await this.#takeStep(deletion, signal)
      this.#options.activity.updated({ resource: 'deletions', id })
    }
  }

  /** Unfinished deletions, oldest first. */
  async #open(): Promise<readonly string[]> {
    const open: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      await this.#slices.yieldIfOver()
      const request = { limit: 200, ...(cursor && { cursor }) }
      const page = await this.#options.deletions.list({ isOpen: true }, request)
      open.unshift(...page.data.map(({ id }) => id).toReversed())
      cursor = page.nextCursor
    }
    return open
  }

  async #takeStep(deletion: Deletion, signal: AbortSignal): Promise<void> {
    const { deletions, clock, logger } = this.#options
    const { id, step } = deletion
    if (deletion.startedAt === null) return deletions.advance(id, step, clock.wall())
    if (step === 'suppress') {
      if (await this.#suppress(deletion, signal)) await deletions.advance(id, 'purge', clock.wall())
    } else if (step === 'purge') {
      if (this.#purged !== id && !(await this.#purge(deletion, signal))) return
      this.#purged = id
      if (!(await deletions.erase(signal))) return
      await this.#options.onErased()
      await deletions.advance(id, 'notify', clock.wall())
    } else if (await this.#notify(deletion, signal)) {
      await deletions.advance(id, 'done', clock.wall())
      logger.info({ deletionId: id }, 'deletion.purged')
      this.#options.onNotices()
    }
  }

  #suppress({ id: deletionId, sourceIds }: Deletion, signal: AbortSignal): Promise<boolean> {
    const { suppressions, clock } = this.#options
    const since = clock.wall()
    return this.#eachSlice(deletionId, signal, (subjects) =>
      suppressions.add(
        subjects.flatMap((subject) =>
          (sourceIds ?? [null]).map((sourceId) => ({ ...subject, sourceId, since, deletionId })),
        ),
      ),
    )
  }

  async #purge({ id: deletionId, sourceIds }: Deletion, signal: AbortSignal): Promise<boolean> {
    const { deletions } = this.#options
    const isDone = await this.#eachSlice(deletionId, signal, async (subjects) => {
      const userIds = subjects.filter(({ kind }) => kind === 'user').map(({ id }) => id)
      if (userIds.length > 0) await this.#purgeAll({ deletionId, sourceIds, userIds }, signal)
    })
    if (!isDone) return false
    // All at once, because a purge of anonymous ids reads the whole archive.
    const all = { after: '', limit: LIMITS.usersPerDeletion }
    const anonymousIds = await deletions.ids(deletionId, 'anonymous', all)
    if (anonymousIds.length > 0)
      await this.#purgeAll({ deletionId, sourceIds, userIds: [], anonymousIds }, signal)
    return !signal.aborted
  }

  async #purgeAll(purge: Purge, signal: AbortSignal): Promise<void> {
    const { deletions, activity } = this.#options
    let cursor = await deletions.purge(purge)
    activity.purged({ anonymousIds: [], ...purge })
    while (cursor !== null && !signal.aborted) cursor = await deletions.purge({ ...purge, cursor })
  }

  #notify(deletion: Deletion, signal: AbortSignal): Promise<boolean> {
    const { catalog, notices, clock } = this.#options
    const destinations = [...catalog.current.destinations.values()]
    return this.#eachSlice(deletion.id, signal, async (subjects) => {
      const all = noticesOf(deletion, subjects, destinations, clock.now())
      for (let from = 0; from < all.length && !signal.aborted; from += NOTICES)
        await notices.create(all.slice(from, from + NOTICES))
    })
  }

  /** Calls `work` with all users of the deletion, in slices. Resolves to false if aborted. */
  async #eachSlice(
    id: string,
    signal: AbortSignal,
    work: (subjects: readonly Subject[]) => Promise<void>,
  ): Promise<boolean> {
    for (const kind of ['user', 'anonymous'] as const) {
      let after = ''
      for (let count = USERS_PER_SLICE; count === USERS_PER_SLICE && !signal.aborted;) {
        await this.#slices.yieldIfOver()
        const ids = await this.#options.deletions.ids(id, kind, { after, limit: USERS_PER_SLICE })
        if (ids.length > 0) await work(ids.map((each) => ({ kind, id: each })))
        count = ids.length
        after = ids.at(-1) ?? ''
      }
    }
    return !signal.aborted
  }
}

/**
 * One notice per user and enabled destination of the covered sources. Alert channels get none: alerts
 * contain no user data, and a notice would send a user id to a service such as Slack.
 */
function noticesOf(
  { id: deletionId, createdAt, sourceIds }: DeletionRequest,
  subjects: readonly Subject[],
  destinations: Iterable<Destination>,
  now: number,
): NewNotice[] {
  return [...destinations]
    .filter(({ enabled, sourceId }) => enabled && sourceId !== BUILT_IN_SOURCE_ID)
    .filter(({ sourceId }) => sourceIds?.includes(sourceId) ?? true)
    .flatMap(({ id: destinationId, sourceId }) =>
      subjects.map((subject) => ({
        id: noticeId(deletionId, destinationId, subject),
        deletionId,
        sourceId,
        destinationId,
        subject,
        createdAt,
        dueAt: now,
      })),
    )
}

/** The `webhook-id` of a notice. Derived from the arguments, so a repeated step creates no second notice. */
export function noticeId(deletionId: string, destinationId: string, { kind, id }: Subject): string {
  // No deletion id begins with `anonymous`.
  const parts = `${kind === 'user' ? '' : 'anonymous/'}${deletionId}/${destinationId}/${id}`
  const digest = createHash('sha256').update(parts).digest()
  return idFrom('msg', timeOfId(deletionId), digest)
}

/** Signs receipts with a key created on first use. To verify, parse the document and serialise `receipt` again. */
export class ReceiptSigner {
  readonly #keys: OwnKeys
  #key: KeyObject | undefined

  constructor(keys: OwnKeys) {
    this.#keys = keys
  }

  /** @throws {BackendUnavailableError} */
  async sign<T extends object>(document: T) {
    // As a verifier serialises it: without undefined values.
    const text = JSON.stringify(document)
    const key = (this.#key ??= createPrivateKey(await this.#keys.keyOf('receipts', newKey)))
    const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
    const value = sign(null, Buffer.from(text), key)
    return {
      receipt: JSON.parse(text) as T,
      signature: {
        algorithm: 'Ed25519' as const,
        /** SPKI in DER. */
        publicKey: publicKey.toString('base64'),
        /** Over `JSON.stringify(receipt)` as UTF-8. */
        value: value.toString('base64'),
      },
    }
  }
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' })).trim()
}
