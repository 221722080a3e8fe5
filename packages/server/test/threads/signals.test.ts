import { Gauge } from 'prom-client'
import { expect, test } from 'vitest'
import type { ActivityListener } from '../../src/telemetry/activity-listener.ts'
import { NO_ACTIVITY } from '@hookline/testing/engine/no-activity'
import { openHost } from './open-host.ts'

/** A host whose thread has sent log lines, counts and activity. `reports` lists the activity by method name. */
async function signalled() {
  const reports: unknown[] = []
  const activity: ActivityListener = {
    ...NO_ACTIVITY,
    recorded: ({ delivery }) => reports.push(['recorded', delivery.destinationId]),
    rejected: (code, calls) => reports.push(['rejected', code, calls]),
  }
  const open = openHost({ activity })
  const signal = async (): Promise<void> => {
    await expect.poll(() => open.host.channel).toBeDefined()
    const before = open.said.length
    open.host.channel!.send('signals')
    await expect.poll(() => open.said.length).toBe(before + 1)
  }
  await signal()
  return { ...open, reports, signal }
}

/** The series in a scrape whose lines match. */
async function series({ metrics }: Awaited<ReturnType<typeof signalled>>, name: RegExp) {
  const lines = (await metrics.scrape()).split('\n')
  return lines.filter((line) => name.test(line) && !line.startsWith('#'))
}

test("the log lines from a thread are in main's log, with errors, and without lines below its level", async () => {
  const { lines } = await signalled()
  expect(lines).toMatchObject([
    {
      level: 40,
      msg: 'webhook.failing',
      class: 'timeout',
      at: '1970-01-01T00:00:00.000Z',
      thread: 'work-1',
    },
    {
      level: 50,
      msg: 'attempt.crashed',
      err: {
        type: 'RangeError',
        message: 'too far: the cause',
        stack: expect.stringMatching(/work-thread\.ts[^]*caused by: Error: the cause/),
      },
    },
  ])
})

test("the activity of a thread reaches main's listener, in order", async () => {
  const { reports } = await signalled()
  expect(reports).toEqual([
    ['recorded', 'dst_1'],
    ['rejected', 'invalid_json', 7],
  ])
})

test("a scrape collects each of main's metrics once, so Node's measurements are not reset twice", async () => {
  const open = await signalled()
  let collected = 0
  const collect = (): void => void collected++
  const registers = [open.metrics.registry]
  const gauge = new Gauge({ name: 'collected_once', help: 'A test.', registers, collect })
  gauge.set(7)
  expect(await series(open, /^collected_once/)).toEqual(['collected_once 7'])
  expect(collected).toBe(1)
})

test('a scrape has the sums of main and the thread, and the process metrics', async () => {
  const open = await signalled()
  open.metrics.attempts.inc({ outcome: 'retry', class: 'timeout' }, 4)
  open.metrics.inFlight.add(5)
  open.metrics.attemptDuration.observe(0.02)
  expect(await series(open, /^hookline_(?:attempts_total|inflight)/)).toEqual([
    'hookline_attempts_total{outcome="retry",class="timeout"} 7',
    'hookline_inflight 7',
  ])
  expect(await series(open, /^hookline_attempt_duration_seconds/)).toEqual(
    expect.arrayContaining([
      'hookline_attempt_duration_seconds_bucket{le="0.01"} 0',
      'hookline_attempt_duration_seconds_bucket{le="0.025"} 2',
      'hookline_attempt_duration_seconds_bucket{le="+Inf"} 2',
      'hookline_attempt_duration_seconds_count 2',
    ]),
  )
  expect(await series(open, /^process_start_time_seconds|^nodejs_version_info/)).toHaveLength(2)
  const text = await open.metrics.scrape()
  const names = text.match(/^# TYPE \S+/gm)!
  expect(new Set(names).size).toBe(names.length)
})

test('counts by destination are added once, however often they are read', async () => {
  const open = await signalled()
  open.metrics.destinationCounts.attempt('dst_1', 'http://a.example/', 'delivered')
  await open.metrics.scrape()
  await open.metrics.scrape()
  const urls = new Map([['dst_1', new Set(['http://a.example/'])]])
  const counts = open.metrics.destinationCounts.of(urls).get('dst_1')!
  expect(counts.attempts.get('http://a.example/')!.get('delivered')).toBe(2)
})

test('no counter decreases when a thread exits, and its gauges are removed', async () => {
  const open = await signalled()
  const names = /^hookline_(?:attempts_total|inflight|attempt_duration_seconds_count)/
  await open.metrics.scrape()
  open.host.terminate()
  await expect.poll(() => open.channels.length).toBe(2)
  expect(await series(open, names)).toEqual([
    'hookline_attempts_total{outcome="retry",class="timeout"} 3',
    'hookline_attempt_duration_seconds_count 1',
    'hookline_inflight 0',
  ])
  await open.signal()
  expect(await series(open, names)).toEqual([
    'hookline_attempts_total{outcome="retry",class="timeout"} 6',
    'hookline_attempt_duration_seconds_count 2',
    'hookline_inflight 2',
  ])
})
