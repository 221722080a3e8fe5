import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'
import { errorOf } from '@hookline/testing/cli/hookline'
import { openReceiver } from '@hookline/testing/receiver/receiver'

let service: ApiService
beforeAll(async () => {
  service = await ApiService.start()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('hookline alerts', () => {
  it('adds a channel with one command, sends a test alert to it, and removes it', async () => {
    await using receiver = await openReceiver()
    expect((await service.run('alerts', 'list')).stdout).toContain('hookline alerts add <url>')
    const added = await service.run('alerts', 'add', receiver.url, '--format', 'slack')
    expect(added.stdout).toMatch(/^Added Alerts \(slack\) \(dst_\w+\)\.\n/)
    const id = /dst_\w+/.exec(added.stdout)![0]
    expect((await service.run('alerts', 'list')).stdout).toMatch(
      new RegExp(`^${id} +Alerts \\(slack\\) +slack +127\\.0\\.0\\.1:\\d+ +yes +never$`, 'm'),
    )
    const tested = await service.run('alerts', 'test', 'Alerts (slack)')
    expect([tested.code, tested.stderr]).toEqual([0, ''])
    expect(JSON.parse(receiver.requests[0]!.body.toString())).toEqual({
      text: expect.stringContaining('This is a test'),
    })
    const refused = await service.run('alerts', 'remove', id)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(id)])
    await service.json('alerts', 'remove', id, '--yes')
    expect(await service.json('alerts', 'list')).toEqual({ data: [], heldBack: 0 })
  })

  it('fails if the channel does not accept the test', async () => {
    await using receiver = await openReceiver({ respond: 403 })
    const pagerDuty = ['--format', 'pagerduty', '--key', 'planted key']
    const { id } = await service.json<{ id: string }>('alerts', 'add', receiver.url, ...pagerDuty)
    const { code, stdout } = await service.run('alerts', 'test', id)
    expect([code, stdout]).toEqual([1, expect.stringContaining('403')])
    expect(receiver.requests[0]!.headers['x-routing-key']).toBe('planted key')
    expect(stdout).not.toContain('planted key')
  })

  it("neither tests nor removes another source's destination", async () => {
    const { destination } = await service.failingDestination()
    for (const verb of ['test', 'remove']) {
      const yes = verb === 'remove' ? ['--yes'] : []
      const run = await service.run('alerts', verb, destination, ...yes, '--json')
      expect([run.code, errorOf(run)['message']]).toEqual([
        4,
        `${destination} is not an alert channel.`,
      ])
    }
    await service.json('destinations', 'get', destination)
  })

  it('lists the conditions, data loss first', async () => {
    const listed = await service.json<{ data: object[] }>('alerts', 'conditions')
    expect(listed.data[0]).toMatchObject({ condition: 'calls_refused', severity: 'data_loss' })
    expect((await service.run('alerts', 'conditions')).stdout).toMatch(
      /^webhook_failing +failing +Webhook Failing +A breaker is open/m,
    )
  })
})

describe('hookline problems', () => {
  it('lists the current problems with their causes and remedies', async () => {
    await service.failingDestination()
    await expect
      .poll(async () => (await service.run('problems')).stdout)
      .toMatch(
        /^failing: webhook_failing, since .+\n {2}Webhooks: No attempt succeeded in the last hour \(\d+ failed\)\. .+ECONNREFUSED\)\.\n {4}→ Check that the receiver is running/m,
      )
    const { data } = await service.json<{ data: object[] }>('problems')
    expect(data[0]).toMatchObject({ condition: 'webhook_failing', severity: 'failing' })
  })
})
