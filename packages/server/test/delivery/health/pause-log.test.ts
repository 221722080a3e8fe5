import { expect, test } from 'vitest'
import { TestEngine } from '@hookline/testing/engine/test-engine'

test('each change of who gets deliveries has a line, and no other change of a destination', async () => {
  await using engine = await TestEngine.open({ logLevel: 'info' })
  const url = 'https://hook.example.com/TOKEN'
  const paused = { since: 7, reason: 'operator' } as const
  const settings = (change: object) => ({
    settings: {
      sharedSecret: null,
      successPolicy: 'any' as const,
      webhooks: [{ url, headers: {}, ...change }],
    },
  })
  await engine.destination('dst_a', url)
  const changes = [
    { name: 'Renamed' },
    { paused },
    { paused: null },
    { enabled: false },
    { enabled: true },
    settings({ paused }),
    settings({}),
  ]
  for (const [index, change] of changes.entries())
    await engine.destination('dst_a', url, { version: index + 2, ...change })
  await engine.backend.catalog.removeDestination('dst_a')
  expect(engine.logged).toMatchObject([
    { msg: 'destination.paused', destination: 'dst_a', reason: 'operator', level: 30 },
    { msg: 'destination.resumed', level: 30 },
    { msg: 'destination.disabled', level: 30 },
    { msg: 'destination.enabled', level: 30 },
    { msg: 'webhook.paused', webhook: 'hook.example.com', reason: 'operator', level: 40 },
    { msg: 'webhook.resumed', webhook: 'hook.example.com' },
  ])
  expect(JSON.stringify(engine.logged)).not.toContain('TOKEN')
})
