import { LIMITS, READY_MADE_TRANSFORMS } from '@hookline/protocol'
import jsonata from 'jsonata'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { inexactFields } from '../../src/delivery/transforms/exact-numbers.ts'
import { Transforms } from '../../src/delivery/transforms/transforms.ts'

const transforms = new Transforms()
afterAll(() => transforms[Symbol.asyncDispose]())

const ORDER = {
  version: 1,
  type: 'track',
  event: 'Order Refunded',
  userId: 'u1',
  messageId: 'm-1',
  timestamp: '2026-01-02T03:04:05.000Z',
  properties: { revenue: 12.5, currency: 'EUR', items: [{ sku: 'a' }] },
}

const CART = {
  customer: { name: 'Ada', tags: ['vip', 'eu'] },
  items: [
    { sku: 'b-2', price: 5, quantity: 3, kind: 'book' },
    { sku: 'a-1', price: 20, quantity: 1, kind: 'toy' },
    { sku: 'c-3', price: 1.5, quantity: 10, kind: 'book' },
  ],
}

/** At least one expression for each function that JSONata implements asynchronously. */
const EVERY_CONSTRUCT = [
  'items[price > 2].sku',
  'items[[0..1]].sku',
  'items[-1].price',
  'items.(price * quantity)',
  'items^(>price, sku).sku',
  'items{kind: $sum(price)}',
  'items.{sku: [price, quantity]}',
  '[items.sku, [1, [2]], customer.tags]',
  'items@$i#$n.{ "n": $n, "of": %.customer.name, "sku": $i.sku }',
  'items#$n[$n > 0].sku',
  '**.sku',
  'customer.*',
  'customer.name = "Ada" and $exists(items) or false',
  'customer.nick ? 1 : customer.name',
  'customer.nick ?? "none"',
  'customer.nick ?: "none"',
  '($a := 1; $b := function($x) { $x + $a }; $b(2))',
  '($twice := function($f) { function($x) { $f($f($x)) } }; $twice(function($x) { $x * 3 })(2))',
  '($f := function($n, $a) { $n = 0 ? $a : $f($n - 1, $a + $n) }; $f(50, 0))',
  '($add := function($a, $b) { $a + $b }; $increment := $add(?, 1); $increment(4))',
  'customer.name ~> $uppercase ~> $substring(0, 2)',
  '($first := $trim ~> $uppercase; $first("  a "))',
  '$ ~> |items|{ "total": price * quantity }, "kind"|',
  '$map(items, function($v, $i) { $i & ":" & $v.sku })',
  '$filter(items, function($v) { $v.price > 2 }).sku',
  '$single(items, function($v) { $v.price > 10 }).sku',
  '$reduce(items.price, function($sum, $v) { $sum + $v }, 100)',
  '$each(customer, function($v, $k) { $k & $string($v) })',
  '$sift(customer, function($v, $k) { $k = "name" })',
  '$sort(items, function($a, $b) { $a.price > $b.price }).sku',
  '$sort(items.sku)',
  '$contains("abc", /b/)',
  '$contains("abc", "b")',
  '$match("a1b22", /[0-9]+/)',
  '$replace("a1b22", /[0-9]/, "<$0>", 2)',
  '$replace("a1b22", /[0-9]+/, function($m) { "(" & $m.match & ")" })',
  '$split("a, b;c", /[,;] */)',
  '$split("a-b-c", "-", 2)',
  '$eval("1 + 2")',
  '$lookup(items, "sku")',
  '$spread(customer)',
  '$merge([customer, { "name": "Bob" }])',
  '$zip(items.sku, items.price)',
  '$formatNumber(1234.5, "#,##0.00") & $formatBase(255, 16)',
  '$fromMillis(0) & $toMillis("1970-01-01T00:00:01Z")',
  '$count(items) & $average(items.price) & $max(items.price)',
]

/** The result of an expression; `undefined` if it returned nothing. */
async function evaluate(expression: string, input: unknown = ORDER): Promise<unknown> {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  const result = await transforms.apply(expression, Buffer.from(text))
  if (result === undefined || 'error' in result) return result
  return result.json === undefined ? undefined : JSON.parse(result.json)
}

describe('a transform', () => {
  test('makes a body from the payload', async () => {
    expect(await evaluate('{ "text": event & ": " & properties.revenue }')).toEqual({
      text: 'Order Refunded: 12.5',
    })
  })

  test('that returns nothing declines the event', async () => {
    expect(await evaluate('event = "Order Refunded" ? undefined : $')).toBeUndefined()
    expect(await evaluate('properties.unknown')).toBeUndefined()
  })

  test('gets the URL of the webhook as $url, so that it can decline the event for the others', async () => {
    const only = '$contains($url, "/close") ? {"note": event}'
    const applied = await Promise.all(
      ['https://a.example/close', 'https://a.example/'].map((url) =>
        transforms.apply(only, Buffer.from(JSON.stringify(ORDER)), { url }),
      ),
    )
    expect(applied).toEqual([{ json: '{"note":"Order Refunded"}' }, {}])
  })

  test('has the functions sha256, hmac and money', async () => {
    const hashes = '[$sha256("a"), $hmac("key", "a")]'
    expect(await evaluate(hashes)).toEqual([
      'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb',
      '780c3db4ce3de5b9e55816fba98f590631d96c075271b26976238d5f4444219b',
    ])
    expect(await evaluate('$money(properties.revenue, properties.currency)')).toBe('€12.50')
    expect(await evaluate('$money(properties.none, "EUR")')).toBeUndefined()
    expect(await evaluate('$money(properties.revenue, properties.none)')).toBeUndefined()
  })

  test('gets as text the numbers that JavaScript cannot represent, and all others as numbers', async () => {
    const input =
      '{"id":12345678901234567890,"big":1e400,"price":0.1,"max":9007199254740991,"s":"1e5"}'
    expect(await evaluate('$', input)).toEqual({
      id: '12345678901234567890',
      big: '1e400',
      price: 0.1,
      max: 9007199254740991,
      s: '1e5',
    })
  })

  test('that fails has an error with its position', async () => {
    expect(await evaluate('{ "sum": event + 1 }')).toEqual({
      error: 'T2001 at character 16: The left side of the "+" operator must evaluate to a number',
    })
    expect(await evaluate('$error("not for us")')).toEqual({
      error: 'D3137 at character 7: not for us',
    })
  })

  test.each([
    ['a function', '$sum'],
    ['a regular expression', '/a/'],
    ['a lambda', 'function($x) { $x }'],
    ['a function in an object', '{ "f": $sum }'],
    ['a number that is infinite', '{ "n": 1 / 0 }'],
  ])('fails if its result is not JSON: %s', async (_, expression) => {
    expect(await evaluate(expression)).toEqual({
      error: expect.stringMatching(/^(?:D1001.*|The result contains .*)$/),
    })
  })

  test('uses UTF-8 for base64, and its functions return nothing if a value is missing', async () => {
    expect(await evaluate('$base64decode($base64encode("é✓"))')).toBe('é✓')
    expect(await evaluate('$sha256(none)')).toBeUndefined()
    expect(await evaluate('$hmac("key", none)')).toBeUndefined()
  })

  test.each(EVERY_CONSTRUCT)('has the same result as in JSONata itself: %s', async (expression) => {
    const itself = await jsonata(expression).evaluate(structuredClone(CART))
    expect(itself).toBeDefined()
    expect(await evaluate(expression, CART)).toEqual(JSON.parse(JSON.stringify(itself)))
  })

  test('fails with the same error as in JSONata itself', async () => {
    for (const expression of [
      'items.($error(sku))',
      '$map(items, function($i) { $i.sku + 1 })',
      '$sort(items, function($a, $b) { "no" + 1 })',
      '$replace("a", /a/, function() { 1 })',
      '$single(items, function($i) { true })',
      '$reduce(items, function($a) { $a })',
      '{ "a": 1, "a": 2 }',
      '$eval("1 +")',
    ]) {
      const itself = jsonata(expression).evaluate(structuredClone(CART))
      const { code, position } = await itself.catch(
        (error: unknown) => error as { code: string; position?: number },
      )
      const at = position === undefined ? code : `${code} at character ${position}`
      expect(await evaluate(expression, CART)).toEqual({
        error: expect.stringContaining(`${at}: `),
      })
    }
  })

  test('with deep recursion fails, and the next one succeeds', async () => {
    const deep = '($f := function($n) { $n = 0 ? 0 : 1 + $f($n - 1) }; $f(DEPTH))'
    expect(await evaluate(deep.replace('DEPTH', '100'))).toBe(100)
    expect(await evaluate(deep.replace('DEPTH', '100000'))).toEqual({ error: expect.any(String) })
    expect(await evaluate('event')).toBe('Order Refunded')
  })

  test('cannot reach JavaScript', async () => {
    for (const expression of [
      '$sha256.constructor',
      '$.constructor.constructor("return process")()',
      '$lookup($, "__proto__").polluted',
      '$eval("process.env")',
    ]) {
      const result = await evaluate(expression)
      expect(JSON.stringify(result) ?? '').not.toMatch(/native code|PATH/)
    }
    expect(await evaluate('$ ~> |$|{"__proto__": {"polluted": true}}|')).toBeDefined()
    expect(await evaluate('polluted', {})).toBeUndefined()
  })
})

const ENDLESS = '($f := function($n) { $f($n + 1) }; $f(0))'

describe('a hostile transform', () => {
  test.each([
    ['a map over a million', '$map([1..1000000], function($v) { $v * 2 })'],
    ['endless recursion', ENDLESS],
    ['a regular expression that backtracks', '$match($join([1..40].("a")) & "b", /^(a+)+$/)'],
    ['a huge list', '[1..10000000]'],
  ])('reports its limit: %s', async (_, expression) => {
    const result = await evaluate(expression)
    expect(result).toEqual({
      error: expect.stringMatching(/10 ms of CPU time|more than 16 MiB/),
    })
  })

  test('that needs more memory than a process has stops neither the service nor other evaluations', async () => {
    // Five times the length would take most of the 5 s until the process is killed.
    const hostile = evaluate('$pad("x", 100000000)')
    const others = Array.from({ length: 100 }, (_, n) => evaluate(`${n} + 1`))
    expect(await hostile).toEqual({ error: 'The transform needed more than 16 MiB.' })
    expect(await Promise.all(others)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
  })

  test('has a result of at most 4 MiB in UTF-8', async () => {
    const quadrupled = (bytes: number) =>
      transforms.apply(
        '($twice := text & text; $twice & $twice)',
        Buffer.from(JSON.stringify({ text: '漢'.repeat((bytes - 2) / 12) })),
      )
    const maxBytes = LIMITS.payloadBytes - 2
    const error = 'The result of the transform is larger than 4 MiB.'
    // On a busy machine, an evaluation of this size may exceed the CPU limit first.
    await vi.waitFor(async () => {
      const { json = '' } = (await quadrupled(maxBytes)) as { readonly json?: string }
      expect(Buffer.byteLength(json)).toBe(maxBytes)
    }, 20_000)
    await vi.waitFor(async () => {
      expect(await quadrupled(maxBytes + 12)).toEqual({ error })
    }, 20_000)
  })

  test('just below the limit gives other expressions their turns', async () => {
    const greedy = '$count($map([1..1000], function($v) { $v * 2 }))'
    let isOver = false
    const all = Array.from({ length: 200 }, () => transforms.apply(greedy, Buffer.from('{}')))
    void Promise.all(all).then(() => (isOver = true))
    for (let each = 0; each < 3; each++) expect(await evaluate('event')).toBe('Order Refunded')
    expect(isOver).toBe(false)
    for (const result of await Promise.all(all)) expect(result).toEqual({ json: '1000' })
  })

  test('that exceeds a limit uses at most a fifth of a core', async () => {
    await using own = new Transforms()
    await own.apply(ENDLESS, Buffer.from('{}'))
    const begunAt = performance.now()
    await Promise.all(Array.from({ length: 5 }, () => own.apply(ENDLESS, Buffer.from('{}'))))
    // Each is evaluated twice for 20 ms, and followed by a pause of 160 ms or more.
    expect(performance.now() - begunAt).toBeGreaterThan(4 * 200)
  })

  test('does not delay the others once it has exceeded a limit', async () => {
    await evaluate(ENDLESS)
    const hostile = Array.from({ length: 50 }, () => transforms.apply(ENDLESS, Buffer.from('{}')))
    let isOver = false
    void Promise.all(hostile).then(() => (isOver = true))
    for (let each = 0; each < 20; each++) expect(await evaluate('event')).toBe('Order Refunded')
    expect(isOver).toBe(false)
  })
})

test('a result that arrives after disposal is ignored', async () => {
  const own = new Transforms()
  await own.apply('event', Buffer.from('{}'))
  await sleep(10)
  const last = own.apply('event', Buffer.from('{}'))
  await new Promise((resolve) => void setImmediate(resolve))
  // The result waits in the pipe.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  await own[Symbol.asyncDispose]()
  expect(await last).toBeUndefined()
  await sleep(100)
})

/** The ids of the processes that evaluate for this one. */
function evaluators(): number[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
  return children.trim().split(' ').filter(Boolean).map(Number)
}

describe.runIf(process.platform === 'linux')('if the process of the transforms exits', () => {
  test.each(['while it is idle', 'while it works'])(
    '%s, evaluations still succeed',
    async (when) => {
      await using own = new Transforms()
      const before = new Set(evaluators())
      await own.apply('1', Buffer.from('{}'))
      const [pid] = evaluators().filter((each) => !before.has(each))
      const works = Array.from({ length: when === 'while it is idle' ? 0 : 500 }, () =>
        own.apply('$sum([1..1000])', Buffer.from('{}')),
      )
      if (works.length > 0) await new Promise((resolve) => setImmediate(resolve))
      process.kill(pid!, 'SIGKILL')
      for (const result of await Promise.all(works)) expect(result).toEqual({ json: '500500' })
      expect(await own.apply('2', Buffer.from('{}'))).toEqual({ json: '2' })
    },
  )
})

test('evaluations that are no longer needed are skipped, and do not pile up behind a slow one', async () => {
  await using own = new Transforms()
  await own.apply(ENDLESS, Buffer.from('{}'))
  const checked: number[] = []
  const all = Array.from({ length: 2_000 }, (_, n) =>
    own.apply(ENDLESS, Buffer.from('{}'), { isWanted: () => checked.push(n) === 2_000 }),
  )
  const results = await Promise.all(all)
  expect(results.slice(0, -1).every((each) => each === undefined)).toBe(true)
  expect(results.at(-1)).toEqual({ error: expect.stringContaining('CPU time') })
  expect(checked).toHaveLength(2_000)
})

test('nothing is evaluated after disposal', async () => {
  const disposed = new Transforms()
  const waiting = disposed.apply('1', Buffer.from('{}'))
  await disposed[Symbol.asyncDispose]()
  expect(await waiting).toBeUndefined()
  expect(await disposed.apply('1', Buffer.from('{}'))).toBeUndefined()
})

describe('the ready-made transforms', () => {
  const IDENTIFY = { version: 1, type: 'identify', anonymousId: 'visitor', traits: { plan: 'pro' } }
  const expressionOf = (name: keyof typeof READY_MADE_TRANSFORMS): string =>
    READY_MADE_TRANSFORMS[name].expression

  test('slack, teams and discord show what happened', async () => {
    expect(await evaluate(expressionOf('slack'))).toEqual({
      text: 'Order Refunded by u1\nrevenue: 12.5\ncurrency: EUR',
    })
    expect(await evaluate(expressionOf('slack'), IDENTIFY)).toEqual({
      text: 'visitor was identified',
    })
    expect(await evaluate(expressionOf('discord'))).toEqual({
      content: 'Order Refunded by u1\nrevenue: 12.5\ncurrency: EUR',
      allowed_mentions: { parse: [] },
    })
    expect(await evaluate(expressionOf('teams'))).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: { body: [{ text: 'Order Refunded by u1' }, { text: expect.any(String) }] },
        },
      ],
    })
  })

  test('pagerduty, opsgenie and alertmanager have the fields that these services require', async () => {
    expect(await evaluate(expressionOf('pagerduty'))).toMatchObject({
      event_action: 'trigger',
      dedup_key: 'm-1',
      payload: { summary: 'Order Refunded by u1', source: 'hookline', severity: 'info' },
    })
    expect(await evaluate(expressionOf('opsgenie'))).toMatchObject({
      message: 'Order Refunded by u1',
      alias: 'm-1',
    })
    expect(await evaluate(expressionOf('alertmanager'))).toEqual([
      {
        labels: { alertname: 'Order Refunded', source: 'hookline' },
        annotations: {
          summary: 'Order Refunded by u1',
          description: 'revenue: 12.5\ncurrency: EUR',
        },
        startsAt: ORDER.timestamp,
      },
    ])
  })
})

test('the paths of numbers that become text are listed once, the first 20 of them', () => {
  const list =
    '{"a.b":[{"c":1e999},{"c":0.1},{"c":12345678901234567890}],"__proto__":{"d":1e-400},"e":"1e999"}'
  expect(inexactFields(list)).toEqual([String.raw`a\.b.c`, '__proto__.d'])
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`n${index}`, 2 ** 60]))
  expect(inexactFields(JSON.stringify(many))).toEqual(Object.keys(many).slice(0, 20))
  expect(inexactFields('{"a":9007199254740991}')).toEqual([])
  expect(inexactFields(`${'['.repeat(100_000)}1e999${']'.repeat(100_000)}`)).toEqual([])
})
