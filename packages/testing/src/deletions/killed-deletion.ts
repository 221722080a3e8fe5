import { setTimeout as sleep } from 'node:timers/promises'
import type { Backend } from '../../../server/src/backend/backend.ts'
import { DeletionWorker } from '../../../server/src/deletions/deletions.ts'
import { createLogger } from '../../../server/src/telemetry/logger.ts'
import { systemClock } from '../../../server/src/util/time/clock.ts'
import { NO_ACTIVITY } from '../engine/no-activity.ts'
import { RunningWorker } from '../engine/running-worker.ts'
import { type DeletionBackend, openDeletionBackend } from './deletion-backend.ts'

// Runs the pending deletions in a separate process, and kills it at the nth kill point. There is one before and one after each write.

type Write = (...args: never[]) => Promise<unknown>

/** Wraps `port` so that each method in `names` calls `count` before and after it runs. */
function counted<T extends object>(port: T, names: readonly (keyof T)[], count: () => void): T {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      const method = value.bind(target) as Write
      if (!names.includes(name as keyof T)) return method
      return async (...args: never[]) => {
        count()
        const result = await method(...args)
        count()
        return result
      }
    },
  })
}

async function main(target: DeletionBackend, killAt: number): Promise<void> {
  let moment = 0
  const count = (): void => {
    if (++moment === killAt) process.kill(process.pid, 'SIGKILL')
  }
  await using backend: Backend = await openDeletionBackend(target)
  const worker = new DeletionWorker({
    catalog: backend.catalog,
    deletions: counted(backend.deletions, ['advance', 'purge', 'erase'], count),
    suppressions: counted(backend.suppressions, ['add'], count),
    notices: counted(backend.notices, ['create'], count),
    activity: NO_ACTIVITY,
    clock: systemClock,
    logger: createLogger('silent'),
    onErased: async () => undefined,
    onNotices: () => undefined,
  })
  await using _running = new RunningWorker(worker)
  const open = () => backend.deletions.list({ isOpen: true }, { limit: 1 })
  while ((await open()).data.length > 0) await sleep(5)
}

await main(JSON.parse(process.argv[2]!) as DeletionBackend, Number(process.argv[3]))
