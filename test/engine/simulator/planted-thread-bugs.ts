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

/** Threads hear of no changes of this kind. */
const withoutChanges = (kind: SharedChange['kind']): InjectedBug =>
  inThreads((threads) => {
    const onChange: BackendThreads['onChange'] = (listener) =>
      threads.onChange(async (change) => {
        if (change.kind !== kind) await listener(change)
      })
    return { onChange }
  })

/** A bug that lanes in threads could have. */
export const PLANTED_THREAD_BUGS: readonly PlantedBug[] = [
  {
    name: 'a recovery that forgets the deliveries of a thread that has ended',
    // As if the backend had all of them.
    bug: inDeliveries(() => ({ find: async () => ({}) as never })),
    violation: /acked without a record/,
  },
  {
    name: 'a recovery that does not wait for what the thread has written',
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
    name: 'a change of a destination that does not reach the threads',
    bug: withoutChanges('catalog'),
    violation: /sent to a destination that was (?:removed|disabled or paused)/,
  },
  {
    name: 'threads that all take up what waits for the same destination',
    bug: { lanesOfThread: (options) => ({ ...options, owns: () => true }) },
    violation: /in two attempts at the same time/,
  },
]
