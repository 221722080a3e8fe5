import type { Delivery, DeliveryContent } from '@hookline/protocol'
import type { Backend } from '../../../src/backend/backend.ts'
import type { Catalog } from '../../../src/backend/catalog.ts'
import type { DeliveryQueue } from '../../../src/backend/deliveries.ts'
import {
  joinEmbeddedBackend,
  joinEmbeddedLog,
  type JoinLogData,
  type ConnectionData,
} from '../../../src/backend/embedded/join.ts'
import { openEmbeddedBackend } from '../../../src/backend/embedded/open.ts'
import type { Quarantine } from '../../../src/backend/quarantine.ts'
import type { JoinedBackend, JoinedLog } from '../../../src/backend/threads.ts'
import { newDestination } from '@hookline/testing/records/catalog-records'
import { failAuditWrites } from '@hookline/testing/service/fail-audit-writes'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { type BackendHarness, DEDUPE_WINDOW_MS } from '../conformance/backend-harness.ts'

/**
 * Opens a backend joined by `threads` threads. They append in turn, and the last one owns all lanes. The joined backend
 * does everything else.
 */
export async function openJoinedHarness(threads: number): Promise<BackendHarness> {
  const folder = new TemporaryFolder()
  let opened = await openAndJoin(folder.path, threads)
  return {
    get backend() {
      return opened.backend
    },
    async reopen() {
      await opened[Symbol.asyncDispose]()
      opened = await openAndJoin(folder.path, threads)
    },
    settle: async () => undefined,
    async failAuditWrites() {
      failAuditWrites(folder.path)
    },
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

async function openAndJoin(
  dataDir: string,
  threads: number,
): Promise<AsyncDisposable & { readonly backend: Backend }> {
  await using stack = new AsyncDisposableStack()
  const main = stack.use(
    await openEmbeddedBackend({
      dataDir,
      maxWaitingBytes: 64 * 1024 * 1024,
      dedupeWindowMs: DEDUPE_WINDOW_MS,
      appendingThreads: threads,
    }),
  )
  const joined: JoinedBackend[] = []
  const logs: JoinedLog[] = []
  stack.defer(
    main.threads.onChange((change) =>
      Promise.all([...joined, ...logs].map((each) => each.apply(change))),
    ),
  )
  const onCorruption = (error: Error): void => main.threads.reportCorruption(error)
  for (let number = 1; number <= threads; number++) {
    const lanes = await main.threads.connect()
    const putDestination = main.catalog.putDestination.bind(main.catalog)
    const options = { putDestination, onCorruption }
    joined.push(stack.use(await joinEmbeddedBackend(lanes.data as ConnectionData, options)))
    const log = main.threads.connectToLog(number)
    logs.push(stack.use(await joinEmbeddedLog(log.data as JoinLogData, { onCorruption })))
  }
  const { deliveries, noticeQueue, quarantine, deletions } = joined.at(-1)!
  const lanes = new NumberedLanes(main.catalog)
  let appends = 0
  const backend: Backend = {
    ...main,
    log: withFunctions(main.log, {
      async append(events) {
        await logs[appends++ % threads]!.log.append(events)
        // Main receives its own later commit after this one.
        await main.probe()
      },
    }),
    deliveries: withFunctions(main.deliveries, queueIn(deliveries, lanes)),
    noticeQueue: withFunctions(main.noticeQueue, {
      ...queueIn(noticeQueue, lanes),
      ...quarantineIn(noticeQueue, lanes),
    }),
    quarantine: quarantineIn(quarantine, lanes),
    deletions: withFunctions(main.deletions, {
      isPurged: (content) => deletions.isPurged(content),
    }),
    suppressions: withFunctions(main.suppressions, {
      has: (...of) => logs[0]!.suppressions.has(...of),
    }),
  }
  const open = stack.move()
  return { backend, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The queue of a thread. */
function queueIn<E extends DeliveryContent>(
  queue: DeliveryQueue<E>,
  lanes: NumberedLanes,
): DeliveryQueue<E> {
  return {
    record(records) {
      const deliveries = records.map(({ delivery }) => delivery)
      // Without a promise if possible, because a claim may follow this call immediately.
      if (lanes.hasAll(deliveries)) return queue.record(records)
      return lanes.assign(deliveries).then(() => queue.record(records))
    },
    claim: (lane, request) => queue.claim(lane, request),
    claimUnsplit: (limit) => queue.claimUnsplit(limit),
    release: (ids, lane) => queue.release(ids, lane),
    waiting: () => queue.waiting(),
  }
}

function quarantineIn(quarantine: Quarantine, lanes: NumberedLanes): Quarantine {
  return {
    async add(items) {
      await lanes.assign(items.flatMap(({ delivery }) => delivery ?? []))
      await quarantine.add(items)
    },
  }
}

/**
 * Main numbers lanes for the destinations of its catalog. The suites use destinations that are not in it, so these are added and
 * removed before a thread gets their deliveries.
 */
class NumberedLanes {
  readonly #catalog: Catalog
  readonly #numbered = new Set<string>()
  #last = Promise.resolve()

  constructor(catalog: Catalog) {
    this.#catalog = catalog
  }

  hasAll(deliveries: readonly Delivery[]): boolean {
    const isNumbered = (id: string, url: string): boolean => this.#numbered.has(`${id} ${url}`)
    return deliveries.every(
      ({ destinationId: id, webhooks }) =>
        this.#catalog.current.destinations.has(id) ||
        webhooks.every(({ url }) => isNumbered(id, url)),
    )
  }

  /** Runs sequentially, because each call changes the catalog. */
  assign(deliveries: readonly Delivery[]): Promise<void> {
    return (this.#last = this.#last.then(() => this.#assignNow(deliveries)))
  }

  async #assignNow(deliveries: readonly Delivery[]): Promise<void> {
    for (const delivery of deliveries) {
      if (this.hasAll([delivery])) continue
      const { destinationId: id, webhooks: parts } = delivery
      const webhooks = parts.map(({ url }) => ({ url, headers: {} }))
      await this.#catalog.putDestination(newDestination({ id, settings: { webhooks } }))
      await this.#catalog.removeDestination(id)
      for (const { url } of webhooks) this.#numbered.add(`${id} ${url}`)
    }
  }
}

/** A port with some of its functions replaced. */
function withFunctions<Port extends object>(port: Port, own: Partial<Port>): Port {
  return new Proxy(port, {
    get(_target, name) {
      const has: object = name in own ? own : port
      const value: unknown = Reflect.get(has, name, has)
      return typeof value === 'function' ? (value.bind(has) as unknown) : value
    },
  })
}
