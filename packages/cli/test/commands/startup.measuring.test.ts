import { expect, test } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'
import { run } from '@hookline/testing/cli/hookline'

const RUNS = 15
const MAX_MS = 400

test('`hookline` prints its help, its version and a list in less than 0.4 s each', async () => {
  await using service = await ApiService.start()
  const list = ['sources', 'list', '--url', service.url, '--token-file', service.tokenFile]
  for (const args of [['--help'], ['--version'], list]) {
    const tookMs: number[] = []
    // The first run fills the compile cache.
    for (let count = 0; count <= RUNS; count++) {
      const startedAt = performance.now()
      expect(await run(args)).toMatchObject({ code: 0, stderr: '' })
      tookMs.push(performance.now() - startedAt)
    }
    const median = tookMs.slice(1).toSorted((a, b) => a - b)[Math.floor(RUNS / 2)]!
    console.log(`hookline ${args.slice(0, 2).join(' ')} took ${Math.round(median)} ms.`)
    expect(median).toBeLessThan(MAX_MS)
  }
})
