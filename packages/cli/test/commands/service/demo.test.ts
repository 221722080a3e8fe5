import { EVENT_TYPES } from '@hookline/protocol'
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { Hookline, run } from '@hookline/testing/cli/hookline'

it('hookline demo completes, and removes its files', async () => {
  using folder = new TemporaryFolder()
  const { code, stdout, stderr } = await run(['demo'], { env: { TMPDIR: folder.path } })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const type of EVENT_TYPES) {
    expect(stdout).toMatch(new RegExp(`^\\d\\d:\\S+ +${type} .*signature valid +\\d+ ms$`, 'm'))
  }
  expect(stdout).toMatch(/x-signature: [0-9a-f]{40}\n/)
  expect(stdout).toMatch(/^\d\d:\S+ +delete .*signature valid +\d+ ms$/m)
  for (const value of [true, false])
    expect(stdout).toMatch(new RegExp(`identify .*recent_buyers: ${value} .*signature valid`))
  expect(stdout).toMatch(
    /Sent 6 calls\. Received 6 deliveries, the changes in the audience "Recent buyers", and a deletion notice in \d+ ms\. All signatures are valid\./,
  )
  expect(readdirSync(folder.path)).toEqual([])
})

it('hookline demo prints six verified deliveries, four changes in an audience, the deletion notice and the result as JSON', async () => {
  await using demo = new Hookline(['--json', 'demo'], { env: { HOOKLINE_PORT: 'not used' } })
  expect(await demo.exit()).toBe(0)
  const deliveries = await demo.documents<{ type: string; signature: object }>('delivery', 11)
  expect(deliveries.map(({ type }) => type).toSorted()).toEqual(
    [...EVENT_TYPES, ...Array<string>(4).fill('identify'), 'delete'].toSorted(),
  )
  for (const { signature } of deliveries) {
    expect(signature).toEqual({ verdict: 'valid', xSignature: 'valid', webhookSignature: 'valid' })
  }
  expect(await demo.document('result')).toEqual({
    kind: 'result',
    ok: true,
    faults: [],
    elapsedMs: expect.any(Number),
  })
})

it('hookline demo exits 130 on an interrupt, and removes its files', async () => {
  using folder = new TemporaryFolder()
  await using demo = new Hookline(['demo'], { env: { TMPDIR: folder.path } })
  await demo.printed(/^Starting/)
  demo.signal('SIGINT')
  expect(await demo.exit()).toBe(130)
  expect(readdirSync(folder.path)).toEqual([])
})
