import { afterAll, beforeAll, expect, it } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'

interface Page {
  readonly data: readonly { readonly id: string; readonly deliveryId: string }[]
}

let service: ApiService
let destination: string
beforeAll(async () => {
  service = await ApiService.start('--retry-schedule', '20ms')
  const { id } = await service.json<{ id: string }>('sources', 'create', 'Shop')
  const webhook = ['--webhook', 'http://inspector.internal/hook', '--secret', 'planted secret']
  const args = ['--source', id, '--name', 'Here', ...webhook, '--enabled']
  destination = (await service.json<{ id: string }>('destinations', 'create', ...args)).id
})
afterAll(() => service[Symbol.asyncDispose]())

it('lists requests, shows one as it was received, and clears them', async () => {
  const none = await service.run('inspector')
  expect(none.stdout).toContain(
    'No requests. Add http://inspector.internal/ as a webhook to a destination.',
  )
  await service.run('destinations', 'test', destination)
  const listed = await service.run('inspector', '--destination', 'Here')
  expect(listed.stdout).toMatch(
    /^req_\S+ +\S+ +track +Order Completed +sample-user +valid +1 +200 +Here/m,
  )
  const { data } = await service.json<Page>('inspector', 'list')
  expect(data).toMatchObject([{ destinationId: destination, signature: { verdict: 'valid' } }])
  const shown = await service.run('inspector', 'get', data[0]!.id)
  expect(shown.stdout).toMatch(/^signature +valid$/m)
  expect(shown.stdout).toMatch(/^ {2}POST \/hook\n {2}host: inspector\.internal$/m)
  expect(shown.stdout).toMatch(/^ {2}\{"version":1,"type":"track"/m)
  const same = await service.run('inspector', 'show', data[0]!.id, '--json')
  expect(JSON.parse(same.stdout)).toMatchObject({ id: data[0]!.id, path: '/hook' })
  const deliveries = await service.json<Page>('inspector', '--delivery', data[0]!.deliveryId)
  expect(deliveries.data).toHaveLength(1)
  expect((await service.run('inspector', 'clear')).stdout).toBe('Removed 1 request.\n')
  const afterClear = await service.run('inspector', 'get', data[0]!.id)
  expect([afterClear.code, afterClear.stderr]).toEqual([
    4,
    expect.stringContaining('No stored request has this id'),
  ])
})

it('sets the inspector responses', async () => {
  const plan = ['--status', '503', '--fail-first', '2', '--delay', '10ms']
  const set = await service.run('inspector', 'respond', ...plan)
  expect(set.stdout).toBe(
    'The inspector responds after 10ms with 503 to the first 2 attempts of each delivery, then with 200.\n',
  )
  const tested = await service.run('destinations', 'test', destination)
  expect(tested.stdout).toContain('503')
  const { data } = await service.json<Page>('inspector', '--limit', '1')
  const shown = await service.run('inspector', 'get', data[0]!.id)
  expect(shown.stdout).toMatch(/^response +503 after 10ms$/m)
  expect(await service.json('inspector', 'respond', '--fail-first', '1')).toEqual({
    status: 500,
    failFirst: 1,
    delayMs: 0,
  })
  const usual = await service.run('inspector', 'respond')
  expect(usual.stdout).toBe('The inspector responds immediately with 200.\n')
})

it.each([
  [['--delay', '11s'], 'at most 10s'],
  [['--delay', 'soon'], 'like 300ms or 3s'],
  [['--status', '100'], 'from 200 to 599'],
  [['--fail-first', '0'], 'from 1 to 1000'],
  [['--status', '204', '--fail-first', '1'], '/failFirst: '],
])('refuses the response %j', async (args, text) => {
  const { code, stderr } = await service.run('inspector', 'respond', ...args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(text)])
})

it("refuses a URL that is almost the inspector's, and suggests the correct one", async () => {
  const webhook = ['--webhook', 'https://inspector.internal/', '--source', 'Shop']
  const { code, stderr } = await service.run('destinations', 'create', ...webhook)
  expect(code).toBe(2)
  expect(stderr).toContain('Use http://inspector.internal/')
})
