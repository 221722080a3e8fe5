import { checkSignature } from '@hookline/protocol/check-signature'
import { expect, it } from 'vitest'
import { readRepositoryFile } from '@hookline/testing/repository'

it('the request in the guide for receivers has the signatures of its body and secret', () => {
  const [, sample = ''] = /```text\nPOST [^\n]+\n([^]+?)\n```/.exec(
    readRepositoryFile('docs/guides/receivers.md'),
  )!
  const [head = '', body = ''] = sample.split('\n\n')
  const headers = Object.fromEntries(
    head.split('\n').map((line) => {
      const [name = '', value = ''] = line.split(': ')
      return [name.toLowerCase(), value]
    }),
  )
  const sentAt = Number(headers['webhook-timestamp']) * 1000
  expect(checkSignature({ headers, body }, 'a shared secret', sentAt)).toMatchObject({
    xSignature: 'valid',
    webhookSignature: 'valid',
  })
  expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body))
  expect(JSON.parse(body).timestamp).toBe(new Date(sentAt).toISOString())
})
