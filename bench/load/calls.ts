import { randomUUID } from 'node:crypto'

const CALL = {
  type: 'track',
  event: 'Order Completed',
  userId: 'user-0123456789',
  anonymousId: 'b4d1f0e2-6a3c-4d8b-9d0e-1f2a3b4c5d6e',
  properties: {
    orderId: 'order-50314b8e',
    revenue: 39.95,
    currency: 'EUR',
    coupon: 'AUTUMN',
    products: [
      {
        productId: '507f1f77bcf86cd799439011',
        name: 'Monopoly: 3rd Edition',
        price: 19,
        quantity: 1,
      },
      { productId: '505bd76785ebb509fc183733', name: 'Uno Card Game', price: 3, quantity: 2 },
    ],
  },
  context: {
    ip: '203.0.113.7',
    locale: 'de-DE',
    timezone: 'Europe/Berlin',
    library: { name: '@segment/analytics-node', version: '3.1.0' },
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)',
    page: {
      path: '/checkout',
      referrer: 'https://shop.example/',
      url: 'https://shop.example/checkout',
    },
  },
  timestamp: '2026-01-15T12:00:00.000Z',
}

/** A call of ordinary size, about 800 bytes, with a new messageId. */
export function call(): typeof CALL & { readonly messageId: string } {
  return { messageId: randomUUID(), ...CALL }
}

/** The same call with the current time, so that it is within the window of an audience. */
export function currentCall(): object {
  const { timestamp: _, ...rest } = CALL
  return rest
}

/** The userId of the call with this number. */
export function userIdOf(number: number): string {
  return CALL.userId.slice(0, -USER_DIGITS) + userOf(number)
}

/** A call of about `bytes` bytes of JSON, filled with products. */
export function callOfBytes(bytes: number): object {
  const { type, event, userId, properties } = CALL
  const [product] = properties.products
  const sized = {
    type,
    event,
    userId,
    messageId: PLACEHOLDER,
    properties: { products: [] as object[], rest: '' },
  }
  const left = (): number => bytes - JSON.stringify(sized).length
  const max = Math.floor(left() / (JSON.stringify(product).length + 1))
  sized.properties.products.push(...Array.from({ length: max }, () => product!))
  sized.properties.rest = 'x'.repeat(Math.max(0, left()))
  return sized
}

/** The length of a UUID. */
const ID_LENGTH = 36
const PLACEHOLDER = 'message-id-'.padEnd(ID_LENGTH, '0')
/** The number of digits of a call's number at the end of its messageId. */
const DIGITS = 12
/** Multiplying by an odd number modulo 2^32 maps consecutive numbers to distinct numbers far apart. */
const SCATTER = 0x9e3779b1
const USER_DIGITS = 10

/**
 * The messageId of the call with this number. Like random UUIDs, consecutive ids have different prefixes, so that they are
 * spread over an index, as in production.
 */
function messageIdOf(number: number, run: string): string {
  const scattered = scatter(number).toString(16).padStart(8, '0')
  return `${scattered}-${run}-${number.toString().padStart(ID_LENGTH - 10 - run.length, '0')}`
}

/** One of a million users. */
function userOf(number: number): string {
  return (scatter(number) % 1_000_000).toString().padStart(USER_DIGITS, '0')
}

function scatter(number: number): number {
  return Math.imul(number, SCATTER) >>> 0
}

/** The number of the call in the payload of an event; undefined if the call is not from `requestTemplate`. */
export function numberIn(payload: Buffer): number | undefined {
  const end = payload.indexOf('"messageId":"') + 13 + ID_LENGTH
  const digits = /^-0{6}(\d+)$/.exec(payload.toString('latin1', end - DIGITS - 7, end))
  return digits ? Number(digits[1]) : undefined
}

/**
 * Returns a function that makes requests with `count` calls. The request is built once. Each use only writes a new messageId
 * and user into every call, as in real traffic. Calls are numbered from 0.
 */
export function requestTemplate(
  path: string,
  writeKey: string,
  { count = 1, like = CALL }: { readonly count?: number; readonly like?: object | undefined } = {},
): () => Buffer {
  const calls = Array.from({ length: count }, () => ({ ...like, messageId: PLACEHOLDER }))
  const body = JSON.stringify(count === 1 ? calls[0] : { batch: calls })
  const request = Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic ${btoa(`${writeKey}:`)}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const ids = offsetsOf(PLACEHOLDER, request)
  const users = offsetsOf(CALL.userId, request).map((at) => at + CALL.userId.length - USER_DIGITS)
  const run = randomUUID().slice(0, 8)
  let number = 0
  return () => {
    for (const [index, offset] of ids.entries()) {
      request.write(messageIdOf(number, run), offset, 'latin1')
      request.write(userOf(number), users[index]!, 'latin1')
      number++
    }
    return Buffer.from(request)
  }
}

function offsetsOf(text: string, request: Buffer): number[] {
  const offsets: number[] = []
  for (let at = request.indexOf(text); at >= 0; at = request.indexOf(text, at + 1)) offsets.push(at)
  return offsets
}
