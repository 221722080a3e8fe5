import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, type TestContext, test } from 'vitest'
import { openReceiver, type ReceivedRequest } from '@hookline/testing/receiver/receiver'
import { isSignedWith } from '@hookline/testing/receiver/is-signed-with'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'

interface Requests {
  readonly deliveryId: string
  readonly webhooks: readonly {
    readonly url: string
    readonly request: {
      readonly method: string
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }
    readonly curl: string
  }[]
}

const SECRET = "it's a secret"
const run = promisify(execFile)
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)

const requestsOf = (service: RunningService, id: string): Promise<Requests> =>
  service.api.call<Requests>('GET', `deliveries/${id}/requests`)

/** The output of the command when pasted into a shell. */
async function shell(command: string): Promise<string> {
  const running = run('sh')
  running.child.stdin!.end(command)
  return (await running).stdout
}

/** The request without headers that depend on the connection, the time or the attempt. */
function comparable({ method, path, headers, body }: ReceivedRequest): object {
  const {
    connection: _,
    'webhook-timestamp': _at,
    'x-hookline-attempt': _number,
    ...rest
  } = headers
  return { method, path, headers: { ...rest, 'webhook-signature': '' }, body: body.toString() }
}

function requireCurl(context: TestContext): void {
  if (!hasCurl) skipOrFail('curl', 'HOOKLINE_REQUIRE_CURL', () => context.skip())
}

const HOSTILE: Readonly<Record<string, unknown>> = {
  quotes: `it's "quoted" and 'quoted' and \`quoted\``,
  'commands of a shell': '$(touch /tmp/x) `id` ; rm -rf / & | > < $HOME ${PATH} !! ~ * ? [a-z] #',
  'line breaks and heredocs': 'a\nb\r\nEOF\nHOOKLINE\n\\\n',
  backslashes: String.raw`\ \\ \n \047 \x27 %s %d %% %n`,
  'controls and hidden characters':
    'a\u0000b\u001b[31m\u007f\u009b2J\u202e\u2066\u200b\ufeff\u2028\u2029 Ĺ ö 🙂 👩‍💻',
  'lone surrogates': '\ud83d and \ude42',
  'an at sign': '@/etc/passwd',
}

test('the curl command of a request sends the same request, even with hostile text in the body', async (context) => {
  requireCurl(context)
  await using receiver = await openReceiver()
  await using service = await startService()
  const url = `${receiver.url}/it's?[1-3]={a,b}&$(id)`
  await service.createDestination({ urls: [url], secret: SECRET })
  await service.track('m-1', { properties: HOSTILE })
  const { deliveries } = await service.endOf('m-1')
  const { webhooks } = await requestsOf(service, deliveries[0]!.id)
  // eslint-disable-next-line no-control-regex
  expect(webhooks[0]!.curl).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/)
  expect(await shell(webhooks[0]!.curl)).toMatch(/^HTTP\/1\.1 200 /)
  const [sent, byHand] = receiver.requests as [ReceivedRequest, ReceivedRequest]
  expect(isSignedWith(SECRET, byHand)).toBe(true)
  expect(comparable(byHand)).toEqual(comparable(sent))
  expect(sent.headers['x-hookline-attempt']).toBe('1')
  // A retry of a finished delivery starts again at 1.
  expect(byHand.headers['x-hookline-attempt']).toBe('1')
  expect(webhooks[0]!.request.body).toBe(byHand.body.toString())
})

test('the curl command of the largest request is not too long for the shell', async (context) => {
  requireCurl(context)
  await using receiver = await openReceiver()
  await using service = await startService()
  await service.createDestination({ urls: [receiver.url], secret: SECRET })
  await service.track('m-1', { properties: { quotes: "'".repeat(32_000) } })
  const { deliveries } = await service.endOf('m-1')
  const { webhooks } = await requestsOf(service, deliveries[0]!.id)
  await shell(webhooks[0]!.curl)
  expect(receiver.requests.map((each) => isSignedWith(SECRET, each))).toEqual([true, true])
})

test('a request hides the values of static headers, and its curl command has a placeholder for each', async (context) => {
  requireCurl(context)
  await using receiver = await openReceiver()
  await using service = await startService()
  const headers = { Authorization: 'Bearer top-secret', "x-it's": 'secret too' }
  await service.createDestination({ webhooks: [{ url: receiver.url, headers }], secret: SECRET })
  await service.track('m-1')
  const { deliveries } = await service.endOf('m-1')
  const shown = await requestsOf(service, deliveries[0]!.id)
  expect(JSON.stringify(shown)).not.toMatch(/secret/)
  expect(shown.webhooks[0]!.request).toMatchObject({
    method: 'POST',
    headers: { Authorization: '[hidden]', "x-it's": '[hidden]' },
  })
  const [first] = receiver.requests
  expect(Object.keys(shown.webhooks[0]!.request.headers).map((name) => name.toLowerCase())).toEqual(
    Object.keys(first!.headers).filter(
      (name) => !/^(?:host|connection|content-length)$/.test(name),
    ),
  )
  await shell(shown.webhooks[0]!.curl.replace('<value of Authorization>', 'Bearer top-secret'))
  expect(receiver.requests[1]?.headers).toMatchObject({
    authorization: 'Bearer top-secret',
    "x-it's": "<value of x-it's>",
  })
})
