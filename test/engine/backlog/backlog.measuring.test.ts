import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { caseCount } from '@hookline/testing/run/case-count'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { multiplyParked } from '../parked/multiply.ts'
import { ReceiversProcess } from '../receivers/receivers-process.ts'
import { appendCopies, unackedCount } from './log-backlog.ts'

const EVENTS = caseCount('HOOKLINE_TEST_BACKLOG', 500_000)
const MIB = 2 ** 20
/** Node's default heap in a container with 1 GB. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=512' }
const MAX_LIVEZ_MS = 250
const MAX_RSS_MIB = 700
const PROBE_EVERY_MS = 20
/** The number of probes between checks of the backlog. */
const PROBES = 10
const TIMEOUT_MS = 3_600_000

interface Measured {
  readonly seconds: number
  readonly maxLivezMs: number
  readonly maxRssMiB: number
}

test(
  'a backlog of events without a destination is processed within 700 MiB of memory while the service responds, even after a kill',
  async () => {
    await using service = new MeasuredService()
    await service.start()
    await service.addSource()
    await service.send(1)
    await service.stop()
    appendCopies(service.databaseFile, EVENTS)

    await service.start(HEAP)
    // Killed in the middle, so that the next start has the rest of the backlog.
    const first = await measured(service, () => unackedCount(service.databaseFile) < EVENTS / 2)
    await service.kill()
    await service.start(HEAP)
    const rest = await measured(service, () => unackedCount(service.databaseFile) === 0)
    expectBounds('half of the backlog', first)
    expectBounds('the rest after a kill', rest)
  },
  TIMEOUT_MS,
)

test(
  'a destination with a backlog is deleted within 700 MiB of memory while the service responds',
  async () => {
    await using receivers = await ReceiversProcess.open()
    await using service = new MeasuredService()
    await service.start()
    await service.addSource(receivers.urlOf('second-try'))
    await service.send(1)
    const attemptCounts = async (): Promise<number[]> =>
      (await service.api.listAll<{ attemptCount: number }>('deliveries')).map(
        (each) => each.attemptCount,
      )
    await expect.poll(attemptCounts).toEqual([1])
    await service.stop()
    const later = Date.now() + 30 * 60_000
    multiplyParked(service.databaseFile, {
      count: EVENTS / 2,
      dueFirst: 0,
      dueAt: Date.now(),
      dueLaterAt: later,
    })
    appendCopies(service.databaseFile, EVENTS / 2)

    await service.start(HEAP)
    const [destination] = await service.api.listAll<{ id: string }>('destinations')
    await service.api.call('DELETE', `destinations/${destination!.id}`)
    const waiting = (): Promise<number> => service.gauge('hookline_deliveries')
    const isOver = async (): Promise<boolean> =>
      unackedCount(service.databaseFile) === 0 && (await waiting()) === 0
    expectBounds('a deleted destination', await measured(service, isOver))
  },
  TIMEOUT_MS,
)

test(
  'a user with a backlog is purged within 700 MiB of memory while the service responds',
  async () => {
    await using service = new MeasuredService()
    await service.start()
    await service.addSource()
    await service.send(1)
    await service.stop()
    appendCopies(service.databaseFile, EVENTS, "iif(n % 2 = 0, 'u1', 'u2')")

    await service.start(HEAP)
    const { id } = await service.api.call<{ id: string }>('POST', 'deletions', {
      userIds: ['u1'],
      suppress: true,
    })
    const isOver = async (): Promise<boolean> => {
      const { purgedAt } = await service.api.call<{ purgedAt: string | null }>(
        'GET',
        `deletions/${id}`,
      )
      return purgedAt !== null && unackedCount(service.databaseFile) === 0
    }
    expectBounds('a purge', await measured(service, isOver))
  },
  TIMEOUT_MS,
)

/** Probes `/livez` until `isOver` returns true. */
async function measured(
  service: MeasuredService,
  isOver: () => boolean | Promise<boolean>,
): Promise<Measured> {
  const startedAt = performance.now()
  let maxLivezMs = 0
  // Probes and checks alternate, because `isOver` blocks this process while it reads the database.
  do {
    for (let probe = 0; probe < PROBES; probe++) {
      const before = performance.now()
      await service.livez()
      maxLivezMs = Math.max(maxLivezMs, performance.now() - before)
      await sleep(PROBE_EVERY_MS)
    }
  } while (!(await isOver()))
  return {
    seconds: (performance.now() - startedAt) / 1000,
    maxLivezMs,
    maxRssMiB: peakBytes(service.pid) / MIB,
  }
}

function expectBounds(what: string, { seconds, maxLivezMs, maxRssMiB }: Measured): void {
  console.log(
    `${EVENTS} events, ${what}: ${seconds.toFixed(1)} s, ` +
      `max /livez ${maxLivezMs.toFixed(0)} ms (limit ${MAX_LIVEZ_MS}), ` +
      `max ${maxRssMiB.toFixed(0)} MiB (limit ${MAX_RSS_MIB})`,
  )
  expect(maxLivezMs).toBeLessThan(MAX_LIVEZ_MS)
  expect(maxRssMiB).toBeLessThan(MAX_RSS_MIB)
}

/** The process's peak resident memory. */
function peakBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024
}
