import { type Destination, idFrom, LIMITS, timeOfId } from '@hookline/protocol'
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { BackendUnavailable } from '../backend/backend.ts'
import type { Catalog } from '../backend/catalog.ts'
import type {
  Deletion,
  DeletionRequest,
  Deletions,
  Purge,
  Subject,
  Suppressions,
} from '../backend/deletions.ts'
import type { NewNotice, Notices } from '../backend/notices.ts'
import type { OwnKeys } from '../backend/nodes.ts'
import type { ActivityListener } from '../telemetry/activity-listener.ts'
import type { Logger } from '../telemetry/logger.ts'
import { LogThrottle } from '../util/limits/log-throttle.ts'
import type { Clock } from '../util/time/clock.ts'
import { Recurring } from '../util/time/recurring.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import type { Worker } from '../util/workers/worker.ts'

interface DeletionWorkerOptions {
  readonly catalog: Catalog
  readonly deletions: Deletions
  readonly suppressions: Suppressions
  readonly notices: Notices
  readonly activity: Pick<ActivityListener, 'purged' | 'updated'>
  readonly clock: Clock
  readonly logger: Logger
  /** The bytes of users are erased from the database. Resolves when copies of it are gone, too. */
  readonly onErased: () => Promise<void>
  /** The notices of a deletion were created and are due. */
  readonly onNotices: () => void
}

/** Users read at a time, and notices created in one write. Other writes wait for as long as such a write takes. */
const USERS = 200
const NOTICES = 500
/** How often it looks for deletions that another node was asked for. */
const POLL_EVERY_MS = 10_000
const LOG_EVERY_MS = 10 * 60_000

/**
 * Carries out deletions one after the other, the oldest first. Each step is recorded when it is done and is idempotent,
 * so after a crash the deletion continues with the step that was interrupted.
 *
 *     queued ─▶ suppress ─▶ purge, erase ─▶ notify ─▶ done: the lanes of notices deliver the notices
 *               (if requested)
 *
 * The order matters: no new events of the user arrive during the purge, and a receiver is notified only after the data
 * is gone.
 */
export class DeletionWorker implements Worker {
  readonly name = 'deletions'
  readonly #options: DeletionWorkerOptions
  readonly #recurring: Recurring
  /** One that fails is tried every ten seconds, and has a line every ten minutes. */
  readonly #failures: LogThrottle
  /** The deletion that was purged last. A second purge, after bytes could not be overwritten, would remove what the user did since. */
  #purged: string | undefined
  /** Deletions and their users are read at once. */
  readonly #slices: TimeSlices

  constructor(options: DeletionWorkerOptions) {
    this.#options = options
    this.#failures = new LogThrottle(options.clock, LOG_EVERY_MS)
    this.#slices = new TimeSlices(options.clock)
    this.#recurring = new Recurring({
      clock: options.clock,
      work: (signal) => this.#work(signal),
    })
  }

  /** A deletion was requested. */
  wake(): void {
    this.#recurring.wake()
  }

  /** Ends after the current write. */
  run(signal: AbortSignal): Promise<void> {
    return this.#recurring.run(signal)
  }

  async #work(signal: AbortSignal): Promise<number> {
    for (const id of await this.#open()) {
      try {
        await this.#carryOut(id, signal)
      } catch (error) {
        // One that fails does not stop the others.
        if (error instanceof BackendUnavailable) throw error
        const failures = this.#failures.count(id)
        if (failures > 0)
          this.#options.logger.error({ deletionId: id, failures, err: error }, 'deletion.failed')
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

  /** The deletions that have steps left, the oldest first. */
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
      logger.info({ deletionId: id }, 'deletion.done')
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
    // All at once: a purge of anonymous ids reads the whole archive.
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
      const made = noticesOf(deletion, subjects, destinations, clock.now())
      for (let from = 0; from < made.length && !signal.aborted; from += NOTICES)
        await notices.create(made.slice(from, from + NOTICES))
    })
  }

  /** Calls `work` for all users of the deletion, one slice at a time. Returns whether it was called for all. */
  async #eachSlice(
    id: string,
    signal: AbortSignal,
    work: (subjects: readonly Subject[]) => Promise<void>,
  ): Promise<boolean> {
    for (const kind of ['user', 'anonymous'] as const) {
      let after = ''
      for (let found = USERS; found === USERS && !signal.aborted;) {
        await this.#slices.yieldIfOver()
        const ids = await this.#options.deletions.ids(id, kind, { after, limit: USERS })
        if (ids.length > 0) await work(ids.map((each) => ({ kind, id: each })))
        found = ids.length
        after = ids.at(-1) ?? ''
      }
    }
    return !signal.aborted
  }
}

/**
 * The notices of a deletion for some of its users: one for each user and each enabled destination of the sources that
 * the deletion covers.
 */
function noticesOf(
  { id: deletionId, createdAt, sourceIds }: DeletionRequest,
  subjects: readonly Subject[],
  destinations: Iterable<Destination>,
  now: number,
): NewNotice[] {
  return [...destinations]
    .filter(({ enabled, sourceId }) => enabled && (sourceIds?.includes(sourceId) ?? true))
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

/**
 * The id of the notice that a deletion sends to a destination about a user. It is the `webhook-id` of every attempt. It
 * depends on the three arguments only, so a step that is repeated after a crash makes no second notice.
 */
export function noticeId(deletionId: string, destinationId: string, { kind, id }: Subject): string {
  // No deletion has an id that begins with `anonymous`.
  const parts = `${kind === 'user' ? '' : 'anonymous/'}${deletionId}/${destinationId}/${id}`
  const digest = createHash('sha256').update(parts).digest()
  return idFrom('msg', timeOfId(deletionId), digest)
}

/** A document with a signature that proves who wrote it. */
interface SignedReceipt<T extends object> {
  readonly receipt: T
  readonly signature: {
    readonly algorithm: 'Ed25519'
    /** The public key, SPKI in DER, as base64. */
    readonly publicKey: string
    /** Over `JSON.stringify(receipt)` as UTF-8, as base64. */
    readonly value: string
  }
}

/**
 * Signs receipts with a key of the service, which is made at first use. With the public key, a receipt can be verified without
 * this service: parse the document, and serialise `receipt` again.
 */
export class ReceiptSigner {
  readonly #keys: OwnKeys
  #key: KeyObject | undefined

  constructor(keys: OwnKeys) {
    this.#keys = keys
  }

  /** @throws {BackendUnavailable} */
  async sign<T extends object>(document: T): Promise<SignedReceipt<T>> {
    // The text that a verifier serialises again, without values that JSON leaves out.
    const text = JSON.stringify(document)
    const key = (this.#key ??= createPrivateKey(await this.#keys.keyOf('receipts', newKey)))
    const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
    const value = sign(null, Buffer.from(text), key)
    return {
      receipt: JSON.parse(text) as T,
      signature: {
        algorithm: 'Ed25519',
        publicKey: publicKey.toString('base64'),
        value: value.toString('base64'),
      },
    }
  }
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' })).trim()
}
