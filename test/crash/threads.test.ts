import { expect, test } from 'vitest'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { DELIVERY_THREADS, INGEST_THREADS, ThreadedService } from './threaded-service.ts'

const FATAL = 60

test.concurrent.for([INGEST_THREADS[0], DELIVERY_THREADS[0]])(
  'five failures of %s within a minute stop the process, with a final log line',
  async (thread, { expect: expectHere }) => {
    await using receiver = await CountingReceiver.open({ random: () => 1, failing: 0 })
    await using threaded = await ThreadedService.open(receiver, [['any'], ['each-1', 'each-2']])
    const { service } = threaded
    for (let failures = 1; failures <= 5; failures++) await threaded.end('fault', thread)
    await expectHere.poll(() => service.exitCode).toBe(1)
    const name = thread.replace('hookline-', '')
    const failed = { msg: 'thread.failed', thread: name }
    expectHere(threaded.logged).toMatchObject([
      ...Array.from({ length: 4 }, () => failed),
      { level: FATAL, msg: 'thread.failed_permanently', thread: name, failures: 5 },
      { msg: expect.stringMatching(`Stopped: ${name} failed 5 times within a minute`) },
      { msg: expect.stringContaining('delivered after the next start') },
    ])
  },
)
