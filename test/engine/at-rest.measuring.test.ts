import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { measureAgain } from '@hookline/testing/run/measure-again'
import { MeasuredService } from '@hookline/testing/service/measured-service'

const MAX_WAKES_A_SECOND = 20
const MAX_MB_A_THREAD = 40
/** After this long, work that follows startup has finished, such as the first round of each worker. */
const SETTLED_MS = 5_000
const SECONDS = 10

/** The number of voluntary context switches of all threads, each of which is a wake-up. */
function wakes(pid: number): number {
  const counts = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')
    return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)![1])
  })
  return counts.reduce((sum, count) => sum + count, 0)
}

async function atRest(threads: number): Promise<{ wakesASecond: number; residentMiB: number }> {
  await using service = new MeasuredService()
  await service.start({
    HOOKLINE_INGEST_THREADS: `${threads}`,
    HOOKLINE_DELIVERY_THREADS: `${threads}`,
  })
  await sleep(SETTLED_MS)
  const before = wakes(service.pid)
  await sleep(SECONDS * 1000)
  const wakesASecond = (wakes(service.pid) - before) / SECONDS
  return { wakesASecond, residentMiB: service.residentBytes / 2 ** 20 }
}

test('an idle service rarely wakes up, and a thread needs little memory', async () => {
  const measured = await measureAgain(measure, ({ maxWakes, mbAThread }) => {
    return maxWakes >= MAX_WAKES_A_SECOND || mbAThread >= MAX_MB_A_THREAD
  })
  console.log(JSON.stringify(measured))
  expect(measured.maxWakes).toBeLessThan(MAX_WAKES_A_SECOND)
  expect(measured.mbAThread).toBeLessThan(MAX_MB_A_THREAD)
}, 150_000)

async function measure() {
  const without = await atRest(0)
  const withThreads = await atRest(1)
  return {
    maxWakes: Math.max(without.wakesASecond, withThreads.wakesASecond),
    mbAThread: (withThreads.residentMiB - without.residentMiB) / 2,
  }
}
