import { expect, it } from 'vitest'
import { run } from '@hookline/testing/cli/hookline'

it('hookline demo completes in less than 15 s', async () => {
  const startedAt = performance.now()
  expect(await run(['demo'])).toMatchObject({ code: 0 })
  const tookMs = performance.now() - startedAt
  console.log(`The demo took ${Math.round(tookMs)} ms.`)
  expect(tookMs).toBeLessThan(15_000)
})
