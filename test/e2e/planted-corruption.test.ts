import { rebuildInto } from '@hookline/server'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { startService } from '@hookline/testing/service/running-service'

const PAGE_BYTES = 4096

/** Overwrites each page of the file that contains this text. Returns the number of these pages. */
function corruptPagesWith(file: string, text: string): number {
  const bytes = readFileSync(file)
  let pages = 0
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at)) {
    const page = Math.floor(at / PAGE_BYTES) * PAGE_BYTES
    at = page + PAGE_BYTES
    bytes.fill(0xa5, page, at)
    pages += 1
  }
  writeFileSync(file, bytes)
  return pages
}

test('corrupted bytes in the database raise one alert after its rebuild, without user data', async () => {
  const service = await startService()
  try {
    await using channel = await openReceiver()
    await service.api.call('POST', 'alerts/channels', { url: channel.url, format: 'slack' })
    for (let count = 0; count < 20; count += 1)
      await service.track(`m-${count}`, { userId: 'planted-user', properties: { count } })
    await service.endOf('m-19')
    await service.stop()
    expect(corruptPagesWith(join(service.dataDir, 'hookline.db'), 'planted-user')).toBeGreaterThan(
      0,
    )
    await expect(service.start()).rejects.toThrow(/corrupted/)
    await rebuildInto(service.dataDir)
    await service.start()
    const texts = (): string[] =>
      channel.requests.map(({ body }) => (JSON.parse(body.toString()) as { text: string }).text)
    const alerts = () => texts().filter((text) => text.startsWith('Damage Found'))
    await expect.poll(alerts).toHaveLength(1)
    expect(alerts()[0]).toMatch(/on the System page\.[^]*Check the disk\./)
    await service.restart()
    // The conditions are checked every five seconds, first at startup.
    await sleep(1_000)
    expect(alerts()).toHaveLength(1)
    expect(texts().join()).not.toContain('planted')
  } finally {
    await service.discard()
  }
})
