import { expect, test } from 'vitest'
import { MeasuredService } from '@hookline/testing/service/measured-service'
import { ReceiversProcess } from '../receivers/receivers-process.ts'
import { expectWithinLimits, loadText, worstWhile } from './worst-load.ts'

const DESTINATIONS = 1_000
const EVENTS = 2_500
const SECONDS = Number(process.env['HOOKLINE_TEST_FAN_OUT_SECONDS'] ?? 8)

test(
  'a source with 1,000 destinations handles a batch of 2,500 events, and a restart in the middle of it',
  { timeout: (2 * SECONDS + 120) * 1000 },
  async () => {
    await using receivers = await ReceiversProcess.open()
    await using service = new MeasuredService()
    await service.start()
    await service.addSource(...Array<string>(DESTINATIONS).fill(receivers.urlOf('answering')))
    await service.send(EVENTS)
    const first = await worstWhile(service, seconds(SECONDS))
    await service.stop()
    await service.start()
    const second = await worstWhile(service, seconds(SECONDS))
    console.log(
      `${EVENTS * DESTINATIONS} deliveries of one batch, worst of ${SECONDS} s: ${loadText(first)}; after a restart: ${loadText(second)}`,
    )
    expectWithinLimits(first, 'at first')
    expectWithinLimits(second, 'after a restart')
    // Deliveries continue, and none is lost.
    expect(await service.gauge('hookline_accounting_imbalance')).toBe(0)
    expect(await service.gauge('hookline_deliveries_ended_total')).toBeGreaterThan(1_000)
  },
)

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000))
}
