import { LIMITS } from '@hookline/protocol'
import { checkSignature } from '@hookline/protocol/check-signature'
import { expect, it } from 'vitest'
import { SETTINGS } from '../../packages/server/src/settings.ts'
import { read } from '@hookline/testing/repository'

const [SECOND, HOUR] = [1000, 3_600_000]
const PROSE = read('docs/guides/receivers.md')
  .replaceAll(/^```[^]*?^```|^\|.*$/gm, '')
  .replaceAll(/\s+/g, ' ')

it.for([
  `2xx within ${LIMITS.attemptTimeoutMs / SECOND} seconds`,
  `repeated for at most **${LIMITS.retryWindowMs / HOUR} hours**`,
  `you need to do nothing for the first ${LIMITS.retryWindowMs / HOUR} hours`,
  `They are retried for ${LIMITS.noticeRetryWindowMs / HOUR / 24} days`,
  `Events are kept for ${SETTINGS.retentionMs.parse(SETTINGS.retentionMs.default) / HOUR / 24} days`,
  `bodies of up to ${LIMITS.payloadBytes / 1024 ** 2} MiB`,
])('the guide for receivers says "%s", which matches the code', (sentence) => {
  expect(PROSE).toContain(sentence)
})

it('the request in the guide for receivers has the signatures of its body and secret', () => {
  const [, sample = ''] = /```text\nPOST [^\n]+\n([^]+?)\n```/.exec(
    read('docs/guides/receivers.md'),
  )!
  const [head = '', body = ''] = sample.split('\n\n')
  const headers = Object.fromEntries(
    head.split('\n').map((line) => {
      const [name = '', value = ''] = line.split(': ')
      return [name.toLowerCase(), value]
    }),
  )
  const sentAt = Number(headers['webhook-timestamp']) * SECOND
  expect(checkSignature({ headers, body }, 'a shared secret', sentAt)).toMatchObject({
    xSignature: 'valid',
    webhookSignature: 'valid',
  })
  expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body))
  expect(JSON.parse(body).timestamp).toBe(new Date(sentAt).toISOString())
})
