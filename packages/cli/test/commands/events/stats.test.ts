import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'

let service: ApiService
let ids: { readonly source: string; readonly destination: string }
beforeAll(async () => {
  service = await ApiService.start('--retry-schedule', '1d')
  ids = await service.failingDestination()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('hookline stats', () => {
  it('counts recent events and retried attempts', async () => {
    await expect
      .poll(async () => (await service.run('stats')).stdout)
      .toMatch(/^at +received +rejected +duplicates +declined +delivered +retried +failed /m)
    await expect
      .poll(async () => (await service.run('stats', '--step', '1d')).stdout)
      .toMatch(/^\S+ +1 +0 +0 +0 +0 +1 +0/m)
  })

  it('shows a line for each destination or source, with its name', async () => {
    const byDestination = await service.run('stats', '--by', 'destination', '--step', '1d')
    expect(byDestination.stdout).toMatch(
      new RegExp(`^Webhooks +${ids.destination} +1 +0 +1 +0`, 'm'),
    )
    const bySource = await service.run('stats', '--by', 'source', '--step', '1d')
    expect(bySource.stdout).toMatch(new RegExp(`^Shop +${ids.source} +1 +0 .*█$`, 'm'))
    const { series } = await service.json<{ series: { id: string }[] }>('stats', '--by', 'source')
    expect(series.map(({ id }) => id)).toEqual([ids.source])
  })
})
