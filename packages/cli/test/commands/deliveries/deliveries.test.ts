import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ApiService } from '@hookline/testing/cli/api-service'
import { Hookline } from '@hookline/testing/cli/hookline'

let service: ApiService
beforeAll(async () => {
  // The first retry is after the test.
  service = await ApiService.start('--retry-schedule', '600000')
})
afterAll(() => service[Symbol.asyncDispose]())

describe('hookline events, deliveries and tail', () => {
  it('show stored and live events, and the outcomes of their deliveries', async () => {
    const env = { HOOKLINE_URL: service.url }
    const flags = ['--token-file', service.tokenFile, '--json']
    await using tail = new Hookline(['tail', '--kind', 'attempt', ...flags], { env })
    // tail prints nothing until it is connected, so send events until it prints something.
    const seen = async (): Promise<string> => {
      if (tail.stdout === '') await service.failingDestination()
      return tail.stdout
    }
    await expect.poll(seen, { interval: 300 }).not.toBe('')
    const { destination } = await service.failingDestination()
    const query = ['--destination', destination]
    const list = () => service.json<{ data: Listed[] }>('deliveries', 'list', ...query)
    await expect.poll(async () => (await list()).data[0]?.attempts.length).toBeGreaterThan(0)
    const [delivery] = (await list()).data
    expect(delivery!.attempts[0]!.class).toBe('connection_failed')
    const byEvent = ['list', '--event', delivery!.eventId] as const
    expect(await service.json('deliveries', ...byEvent)).toMatchObject({
      data: [{ id: delivery!.id }],
    })
    expect(await service.json('events', 'list', '--message-id', 'none')).toEqual({
      data: [],
      nextCursor: null,
    })
    const byClass = ['list', ...query, '--class', 'timeout'] as const
    expect(await service.json('deliveries', ...byClass)).toEqual({ data: [], nextCursor: null })
    const shown = (await service.run('deliveries', 'get', delivery!.id)).stdout
    expect(shown).toMatch(/^http:\S+ pending: the last attempt failed \(connection_failed\)$/m)
    expect(shown).toMatch(/^ {2}since 2\S+Z, next attempt 2\S+Z$/m)
    expect(shown).toContain(`Retry now: hookline deliveries retry ${delivery!.id}`)
    const failures = await service.run('deliveries', 'failures', ...query)
    expect(failures.stdout).toMatch(
      /connection_failed .+Check that the receiver is running[^]+ {2}msg_\w{26} {2}.*ECONNREFUSED/,
    )
    expect(failures.stdout).toMatch(/^Show the response: hookline deliveries get msg_\w{26}$/m)
    // Another destination may have the same name.
    expect(failures.stdout).toContain(
      `Replay failed deliveries: hookline replay --destination ${destination}`,
    )
    const traced = await service.json('trace', delivery!.id)
    expect(traced).toMatchObject({ id: delivery!.eventId })
    const noEvent = await service.run('trace', destination)
    expect([noEvent.code, noEvent.stderr]).toEqual([
      4,
      expect.stringMatching(
        /is the id of a destination, not of an event.+\n.+`hookline destinations get dst_/,
      ),
    ])
    const noClass = await service.run('deliveries', 'list', '--class', 'foo')
    expect([noClass.code, noClass.stderr]).toEqual([
      2,
      expect.stringMatching(/Allowed choices are delivered, .+timeout/),
    ])
    const events = await service.json<{ data: { id: string }[] }>('events', 'list', '--user', 'u1')
    expect(events.data.map(({ id }) => id)).toContain(delivery!.eventId)
    const retried = ['events', 'list', '--outcome', 'retrying']
    expect((await service.run(...retried)).stdout).toMatch(/^received +id .* outcome /)
    const listed = await service.json<{ data: object[] }>(...retried)
    expect(listed.data).toContainEqual(
      expect.objectContaining({ id: delivery!.eventId, outcomes: { retrying: 1 } }),
    )
    expect((await service.run('events', 'get', delivery!.eventId)).stdout).toContain(delivery!.id)
    await tail.printed(new RegExp(delivery!.id))
    tail.signal('SIGINT')
    expect(await tail.exit()).toBe(0)
  })
})

interface Listed {
  readonly id: string
  readonly eventId: string
  readonly attempts: readonly { readonly class: string }[]
}

describe('hookline', () => {
  it('replay with --dry-run only counts, and otherwise starts a replay', async () => {
    const { destination } = await service.failingDestination()
    const flags = ['--destination', destination]
    expect(await service.json('replay', ...flags, '--dry-run')).toMatchObject({ dryRun: true })
    expect(
      await service.json('replay', ...flags, '--states', 'delivered', 'expired'),
    ).toMatchObject({
      id: expect.stringMatching(/^rpl_/),
    })
  })

  it('replay and delete-user name the command that shows the progress', async () => {
    const { destination } = await service.failingDestination()
    const replay = await service.run('replay', '--destination', destination)
    const shows = /`hookline (replays get rpl_\w+|deletions get del_\w+)` shows its progress\./
    expect(replay.stdout).toMatch(shows)
    const deletion = await service.run('delete-user', 'nobody', '--yes')
    expect(deletion.stdout).toMatch(shows)
  })

  it('replays list and get show a replay, and replays cancel does not change a finished one', async () => {
    const { destination } = await service.failingDestination()
    const { id } = await service.json<{ id: string }>('replay', '--destination', destination)
    expect(await service.json('replays', 'list', '--limit', '1')).toMatchObject({ data: [{ id }] })
    await expect
      .poll(async () => (await service.run('replays', 'get', id)).stdout)
      .toMatch(/^state +finished$/m)
    expect(await service.json('replays', 'cancel', id)).toMatchObject({ id, state: 'finished' })
  })
})

describe('hookline deliveries curl', () => {
  it('prints a command with a current signature for each webhook', async () => {
    const { destination } = await service.failingDestination()
    const list = () =>
      service.json<{ data: Listed[] }>('deliveries', 'list', '--destination', destination)
    await expect.poll(async () => (await list()).data.length).toBe(1)
    const { id } = (await list()).data[0]!
    const { stdout } = await service.run('deliveries', 'curl', id)
    expect(stdout).toMatch(/^curl .+--request POST 'http:\/\/127\.0\.0\.1:2\/' \\\n {2}--header '/)
    expect(stdout).toContain(`--header 'webhook-id: ${id}' \\\n`)
    expect(stdout).toMatch(/--header 'webhook-signature: v1,\S+' \\\n {2}--data-raw '\{"version":1/)
    expect(stdout).not.toContain('planted shared secret')
    expect(await service.json('deliveries', 'curl', id)).toMatchObject({
      deliveryId: id,
      webhooks: [{ request: { method: 'POST' }, curl: expect.stringMatching(/^curl /) }],
    })
  })
})

describe('hookline trace of an unknown event', () => {
  it('prints the causes that the service found', async () => {
    const { writeKey } = await service.failingDestination()
    expect(writeKey).toMatch(/^wk_/)
    const none = await service.run('trace', 'no-such-message')
    expect(none.code).toBe(4)
    expect(none.stderr).toMatch(/No event has the id or messageId "no-such-message"\.\n/)
    expect(none.stderr).toMatch(/^ {2}- not_sent: No call with these ids reached this service/m)
    const old = await service.run('trace', 'evt_00000000000000000000000000')
    expect(old.code).toBe(4)
    expect(old.stderr).toMatch(
      /^ {2}- expired \(since \S+Z, last at 1970-\S+Z\): The event is older/m,
    )
    const why = await service.run('events', 'why-missing', '--source', 'Shop', '--user', 'u9')
    expect(why.code).toBe(2)
    const known = ['--user', 'u9', '--message-id', 'no-such-message', '--event', 'x']
    expect((await service.run('events', 'why-missing', ...known)).stdout).toMatch(/^not_sent: /)
    expect(await service.json('events', 'why-missing', ...known)).toMatchObject({
      causes: [{ code: 'not_sent' }],
    })
  })
})
