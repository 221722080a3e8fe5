import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startOn } from './service-on-disk.ts'
import { diskOrSkip } from './small-disk.ts'

const MIB = 2 ** 20
/** Less than a tenth of it is free while the ballast is on it. */
const SIZES = { bytes: 96 * MIB, ballastBytes: 88 * MIB }

test('a disk with little free space raises one alert, and one more when it has space again', async ({
  skip,
}) => {
  using disk = diskOrSkip(SIZES, skip)
  await using channel = await openReceiver()
  await using service = await startOn(disk.path)
  const { api } = service
  await api.call('POST', 'alerts/channels', { url: channel.url, format: 'webhook' })
  const alerts = () => channel.requests.map(({ body }) => JSON.parse(body.toString()) as object)
  await expect.poll(alerts).toHaveLength(1)
  const link = `${service.url}/console/system`
  const shared = { condition: 'disk_low', severity: 'failing', link }
  expect(alerts()[0]).toMatchObject({
    event: 'Disk Low',
    userId: 'hookline',
    properties: {
      ...shared,
      state: 'started',
      title: expect.stringMatching(/^The data disk has \d MiB of free space\.$/),
      remedy: expect.stringContaining('Free some space'),
    },
  })
  disk.free()
  await expect.poll(alerts).toHaveLength(2)
  expect(alerts()[1]).toMatchObject({
    event: 'Disk Low',
    properties: {
      ...shared,
      state: 'ended',
      title: 'The data disk has enough free space.',
      remedy: 'No action is needed.',
    },
  })
  expect(await api.call('GET', 'problems')).toMatchObject({ data: [] })
  expect(await service.stop(), service.stderr).toBe(0)
})
