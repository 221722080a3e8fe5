import type { BackendThreads, SharedChange } from '../../../packages/server/src/backend/threads.ts'
import type { SimulatedBackend } from './backend/memory-backend.ts'
import { inDeliveries, type PlantedBug, withMethods } from './planted-bugs.ts'
import type { InjectedBug } from './process-opener.ts'

const inThreads = (
  change: (threads: SimulatedBackend['threads']) => Partial<SimulatedBackend['threads']>,
): InjectedBug => ({
  backend: (backend) => ({
    ...backend,
    threads: withMethods(backend.threads, change(backend.threads)),
  }),
})

/** Drops changes of this kind on the way to threads. */
const withoutChanges = (kind: SharedChange['kind']): InjectedBug =>
  inThreads((threads) => {
    const onChange: BackendThreads['onChange'] = (listener) =>
      threads.onChange(async (change) => {
        if (change.kind !== kind) await listener(change)
      })
    return { onChange }
  })

/** Possible bugs of lanes in threads. */
export const PLANTED_THREAD_BUGS: readonly PlantedBug[] = [
  {
    name: 'a recovery that forgets the deliveries of a thread that has exited',
    // Pretends that the backend has recorded all deliveries.
    bug: inDeliveries(() => ({ find: async () => ({}) as never })),
    violation: /acked without a record/,
  },
  {
    name: 'a recovery that does not wait for the writes of the thread',
    bug: inThreads((threads) => ({
      connect: async () => ({ ...(await threads.connect()), gone: Promise.resolve() }),
    })),
    violation: /sent (?:to \S+ )?although (?:it|that part) was recorded/,
  },
  {
    name: 'a purge that does not reach the threads',
    bug: withoutChanges('purges'),
    violation: /although its user was deleted/,
  },
  {
    name: 'a change to a destination that does not reach the threads',
    bug: withoutChanges('catalog'),
    violation: /sent to a destination that was (?:removed|disabled or paused)/,
  },
  {
    name: 'threads that all take up the backlog of the same destination',
    bug: { lanesOfThread: (options) => ({ ...options, owns: () => true }) },
    violation: /in two attempts at the same time/,
  },
]
