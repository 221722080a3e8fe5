import { afterEach, describe, expect, test, vi } from 'vitest'
import { filesWith } from '@hookline/testing/files/bytes-in-folder'
import { exchange } from '@hookline/testing/network/http-exchange'
import {
  attributesIn,
  OtlpCollector,
  type ReceivedSpan,
} from '@hookline/testing/receiver/otlp-collector'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import {
  type RunningService,
  type Settings,
  startService,
} from '@hookline/testing/service/running-service'
import { TESTED_BACKEND } from '@hookline/testing/service/tested-backend'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const SAMPLED = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'rojo=1,congo=t61' }
const SOON = { OTEL_BSP_SCHEDULE_DELAY: '20' }
const [SERVER, CLIENT, PRODUCER] = [2, 3, 4]

afterEach(() => vi.unstubAllEnvs())

/** Starts a service that exports to the collector. The variables are set until the end of the test. */
function startTraced(
  collector: Pick<OtlpCollector, 'endpoint'>,
  {
    variables = {},
    settings = {},
  }: { variables?: Readonly<Record<string, string>>; settings?: Settings } = {},
): Promise<RunningService> {
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...SOON, ...variables }
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value)
  return startService({ settings })
}

async function track(
  service: RunningService,
  messageId: string,
  headers: Readonly<Record<string, string>> = SAMPLED,
  call: object = {},
): Promise<void> {
  const { writeKey } = service.source
  const body = { writeKey, messageId, userId: 'ada-lovelace', event: 'Order Completed', ...call }
  const sent = { headers, body: JSON.stringify(body) }
  expect(await exchange(`${service.url}/v1/track`, sent)).toMatchObject({ status: 200 })
}

function spansOf(collector: OtlpCollector, count: number): Promise<readonly ReceivedSpan[]> {
  return vi.waitFor(
    () => {
      expect(collector.spans).toHaveLength(count)
      return collector.spans
    },
    { timeout: 20_000 },
  )
}

const only = (spans: readonly ReceivedSpan[], kind: number): ReceivedSpan => {
  const [span, ...others] = spans.filter((each) => each.kind === kind)
  expect(others).toEqual([])
  return span!
}

const traceparents = ({ requests }: Receiver): unknown[] =>
  requests.map(({ headers }) => headers['traceparent'])

describe('with a collector', () => {
  test('a trace leads from the client through Hookline to the receiver', async () => {
    await using collector = await OtlpCollector.open()
    await using receiver = await openReceiver()
    await using service = await startTraced(collector)
    const url = `${receiver.url}/{{userId}}`
    const configured = `${url}?token=a-secret`
    const destinationId = await service.createDestination({ urls: [configured], secret: 'shh!' })
    await track(service, 'm-1')
    const [request] = await receiver.waitFor(1)
    const spans = await spansOf(collector, 3)
    const [call, deliver, attempt] = [SERVER, PRODUCER, CLIENT].map((kind) => only(spans, kind))
    const { id, deliveries } = await service.endOf('m-1')
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]))
    expect([call!.parentSpanId, deliver!.parentSpanId, attempt!.parentSpanId]).toEqual([
      SPAN,
      call!.spanId,
      deliver!.spanId,
    ])
    expect(request!.headers).toMatchObject({
      traceparent: `00-${TRACE}-${attempt!.spanId}-01`,
      tracestate: SAMPLED.tracestate,
    })
    expect(call).toMatchObject({
      name: 'POST /v1/track',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/track',
        'http.response.status_code': 200,
      },
    })
    const ids = {
      'hookline.event.id': id,
      'hookline.delivery.id': deliveries[0]!.id,
      'hookline.destination.id': destinationId,
    }
    expect(deliver).toMatchObject({
      name: 'deliver',
      links: [{ traceId: TRACE, spanId: call!.spanId }],
      attributes: { ...ids, 'hookline.delivery.state': 'delivered' },
    })
    expect(attempt!.name).toBe('POST')
    expect(attempt!.attributes).toEqual({
      ...ids,
      'http.request.method': 'POST',
      'url.full': url,
      'server.address': '127.0.0.1',
      'server.port': receiver.port,
      'http.response.status_code': 200,
    })
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'hookline' })
    const exported = collector.receiver.requests.map(({ body }) => body.toString()).join('')
    for (const secret of ['ada-lovelace', 'a-secret', 'shh!', service.source.writeKey])
      expect(exported, secret).not.toContain(secret)
  })

  test('each attempt is a separate span, with the class of its failure', async () => {
    await using collector = await OtlpCollector.open()
    await using receiver = await openReceiver({ respond: [503, 200] })
    await using service = await startTraced(collector, { settings: { retryScheduleMs: '30' } })
    await service.createDestination({ urls: [receiver.url] })
    await track(service, 'm-1')
    await receiver.waitFor(2)
    const attempts = (await spansOf(collector, 5)).filter(({ kind }) => kind === CLIENT)
    expect(attempts.map(({ attributes, status }) => [status.code, attributes])).toMatchObject([
      [2, { 'error.type': 'http_5xx', 'http.response.status_code': 503 }],
      [0, { 'http.request.resend_count': 1, 'http.response.status_code': 200 }],
    ])
    expect(traceparents(receiver)).toEqual(attempts.map(({ spanId }) => `00-${TRACE}-${spanId}-01`))
  })

  test('a trace that is not sampled has no spans, and continues as not sampled', async () => {
    await using collector = await OtlpCollector.open()
    await using receiver = await openReceiver()
    await using service = await startTraced(collector)
    await service.createDestination({ urls: [receiver.url] })
    await track(service, 'm-1', { traceparent: SAMPLED.traceparent.replace(/1$/, '0') })
    await receiver.waitFor(1)
    const other = '0af7651916cd43dd8448eb211c80319c'
    await track(service, 'm-2', { traceparent: `00-${other}-${SPAN}-01` })
    const spans = await spansOf(collector, 3)
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([other]))
    expect(traceparents(receiver)[0]).toMatch(
      new RegExp(`^00-${TRACE}-(?!${SPAN})[\\da-f]{16}-00$`),
    )
  })

  test('calls without a trace are sampled at the ratio in the standard variables', async () => {
    await using collector = await OtlpCollector.open()
    await using receiver = await openReceiver()
    await using service = await startTraced(collector, {
      variables: { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
    })
    await service.createDestination({ urls: [receiver.url] })
    await track(service, 'm-1', {})
    await track(service, 'm-2')
    await receiver.waitFor(2)
    const spans = await spansOf(collector, 3)
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]))
    const { traceId, traceUrl } = await service.trace('m-1')
    expect([traceId, traceUrl]).toEqual([expect.stringMatching(/^[\da-f]{32}$/), null])
  })

  test("only a call with a source's key begins a span, so scanners do not fill the queue", async () => {
    await using collector = await OtlpCollector.open()
    await using service = await startTraced(collector)
    const refused = async (headers: Readonly<Record<string, string>>, call: object) => {
      const body = JSON.stringify({ type: 'track', userId: 'u', event: 'A', ...call })
      return (await exchange(`${service.url}/v1/track`, { headers, body })).status
    }
    for (const trace of [{}, SAMPLED]) {
      expect(await refused({ ...trace, 'X-Write-Key': 'unknown' }, {})).toBe(401)
      expect(await refused(trace, { writeKey: 'unknown' })).toBe(401)
      expect(await refused(trace, {})).toBe(401)
    }
    const { writeKey } = service.source
    const invalid = { headers: { 'X-Write-Key': writeKey }, body: '{' }
    expect(await exchange(`${service.url}/v1/track`, invalid)).toMatchObject({ status: 400 })
    await track(service, 'm-1')
    await service.stop()
    const statuses = collector.spans.map(
      ({ attributes }) => attributes['http.response.status_code'],
    )
    expect(statuses).toEqual([400, 200])
    await service.start()
  })

  test('an unsupported value of a variable is reported and ignored', async () => {
    await using collector = await OtlpCollector.open()
    const variables = { OTEL_TRACES_SAMPLER: 'sometimes', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
    await using service = await startTraced(collector, { variables })
    const reported = service.logLines.filter(({ msg }) => msg === 'telemetry.variable_ignored')
    expect(reported).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ variable: 'OTEL_TRACES_SAMPLER', value: 'sometimes' }),
        expect.objectContaining({ variable: 'OTEL_EXPORTER_OTLP_PROTOCOL', value: 'grpc' }),
      ]),
    )
    await track(service, 'm-1')
    await spansOf(collector, 1)
  })

  test('stopping the service sends the last spans and metrics', async () => {
    await using collector = await OtlpCollector.open()
    await using receiver = await openReceiver()
    const variables = { OTEL_BSP_SCHEDULE_DELAY: '600000' }
    await using service = await startTraced(collector, { variables })
    await service.createDestination({ urls: [receiver.url] })
    await track(service, 'm-1')
    await service.endOf('m-1')
    const samples = await service.metric('hookline_attempt_duration_seconds_count')
    await service.stop()
    expect(collector.spans).toHaveLength(3)
    const find = (name: string) => collector.metrics.find((metric) => metric.name === name)
    const accepted = find('hookline_ingest_events_total')!.sum!
    expect(accepted.isMonotonic).toBe(true)
    const values = accepted.dataPoints.map(({ attributes, asDouble }) => [
      attributesIn(attributes),
      asDouble,
    ])
    expect(values).toContainEqual([{ result: 'accepted' }, 1])
    const [durations] = find('hookline_attempt_duration_seconds')!.histogram!.dataPoints
    expect(Number(durations!.count)).toBe(samples)
    expect(durations!.bucketCounts).toHaveLength(durations!.explicitBounds!.length + 1)
    expect(durations!.bucketCounts!.map(Number).reduce((sum, each) => sum + each)).toBe(samples)
    expect(find('hookline_build_info')!.gauge!.dataPoints).toHaveLength(1)
    await service.start()
  })

  test.for(['refused', 'silence'] as const)(
    'an unreachable collector delays nothing, and each thread reports it once: %s',
    async (failure) => {
      const collector = await openReceiver({ respond: 'silence' })
      const endpoint = new URL(collector.url).origin
      if (failure === 'refused') await collector[Symbol.asyncDispose]()
      await using receiver = await openReceiver()
      const variables = { OTEL_EXPORTER_OTLP_TIMEOUT: '100' }
      await using service = await startTraced({ endpoint }, { variables })
      await service.createDestination({ urls: [receiver.url] })
      for (let index = 0; index < 100; index += 1) await track(service, `m-${index}`)
      await receiver.waitFor(100)
      const failures = () =>
        service.logLines.filter(
          ({ msg, signal }) => msg === 'telemetry.export_failed' && signal === 'traces',
        )
      await service.eventually(() => expect(failures().length).toBeGreaterThan(0))
      // Each thread reports its own failure.
      const threads = failures().map(({ thread }) => thread)
      expect(threads).toEqual([...new Set(threads)])
      await service.stop()
      if (failure === 'silence') await collector[Symbol.asyncDispose]()
      await service.start()
    },
  )
})

describe('without a collector', () => {
  test('attempts continue the trace of the call, after a restart and in a replay', async () => {
    await using receiver = await openReceiver({ respond: 503 })
    const settings = { retryScheduleMs: '300', traceUrl: 'https://grafana.example/t/{traceId}' }
    await using service = await startService({ settings })
    const destinationId = await service.createDestination({ urls: [receiver.url] })
    await track(service, 'm-1')
    await receiver.waitFor(1)
    await service.restart()
    receiver.respond = () => 200
    const { traceId, traceUrl, event } = await service.endOf('m-1')
    expect([traceId, traceUrl]).toEqual([TRACE, `https://grafana.example/t/${TRACE}`])
    expect(Object.keys(event)).not.toContain('$context')
    const sent = receiver.requests.length
    await service.api.call('POST', 'replays', { destinationId, states: ['delivered'] })
    await receiver.waitFor(sent + 1)
    for (const traceparent of traceparents(receiver))
      expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${SPAN})[\\da-f]{16}-01$`))
    expect(new Set(traceparents(receiver)).size).toBe(receiver.requests.length)
    const states = receiver.requests.map(({ headers }) => headers['tracestate'])
    expect(new Set(states)).toEqual(new Set([SAMPLED.tracestate]))
  })

  test('a trace does not change the payload, and a call cannot set its trace in its body', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    const body = { urls: [receiver.url] }
    const full = await service.createDestination(body)
    await service.api.call('PATCH', `destinations/${full}`, { settings: { format: 'full' } })
    const forged = { $context: SAMPLED.traceparent, messageId: 'same', other: 1 }
    await track(service, 'same', {}, forged)
    await receiver.waitFor(2)
    expect(traceparents(receiver)).toEqual([undefined, undefined])
    await track(service, 'm-2', SAMPLED, { ...forged, messageId: 'm-2' })
    await receiver.waitFor(4)
    for (const { body: bytes } of receiver.requests) expect(bytes.toString()).not.toContain('$con')
    const whole = receiver.requests.map(({ body: bytes }) => bytes.toString())
    expect(whole.filter((text) => text.includes('"other":1'))).toHaveLength(2)
    expect(traceparents(receiver).slice(2)).toEqual([
      expect.stringContaining(TRACE),
      expect.stringContaining(TRACE),
    ])
  })

  test('no trace is continued if the call had none or an invalid one, or if trace context is turned off', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await track(service, 'm-1', {})
    await track(service, 'm-2', { traceparent: '00-x', tracestate: 'rojo=1' })
    await service.endOf('m-1')
    await service.endOf('m-2')
    await service.restart({ traceContext: 'off' })
    await track(service, 'm-3')
    await service.endOf('m-3')
    expect(traceparents(receiver)).toEqual([undefined, undefined, undefined])
    expect(await service.trace('m-3')).toMatchObject({ traceId: null, traceUrl: null })
  })

  test('a deletion erases the trace context of the user’s events', async () => {
    await using receiver = await openReceiver()
    await using service = await startService()
    await service.createDestination({ urls: [receiver.url] })
    await track(service, 'm-1')
    await service.endOf('m-1')
    const found = () => service.api.call('GET', `events?text=${TRACE}`)
    expect(await found()).toMatchObject({ data: [{ event: { messageId: 'm-1' } }] })
    const request = { userIds: ['ada-lovelace'] }
    const { id } = await service.api.call<{ id: string }>('POST', 'deletions', request)
    await service.eventually(async () => {
      const deletion = await service.api.call('GET', `deletions/${id}`)
      expect(deletion).toMatchObject({ state: 'finished' })
    })
    await service.restart()
    if (TESTED_BACKEND === 'embedded') expect(filesWith(service.dataDir, TRACE)).toEqual([])
    expect(await found()).toMatchObject({ data: [] })
  })
})
