import { describe, expect, test } from 'vitest'
import type { OpenBackendHarness } from './backend-harness.ts'

export function signalsConformance(open: OpenBackendHarness): void {
  describe('signals', () => {
    test('and requests do not reach the node that sends them', async () => {
      await using harness = await open()
      const { signals } = harness.backend
      const received: unknown[] = []
      signals.onMessage('changes', (message) => received.push(message))
      signals.onRead('counts', (isRead) => received.push(isRead))
      signals.onRequest('attempts', async () => ({}))
      using _reading = signals.read('counts')
      signals.publish('changes', { id: 'dst_a' })
      expect(await signals.request('attempts', {})).toEqual([])
      expect(received).toEqual([])
    })
  })

  describe('nodes', () => {
    test('are listed from joining until leaving, and have a different id after a restart', async () => {
      await using harness = await open()
      const { nodes } = harness.backend
      expect(nodes.current).toEqual([])
      const before = Date.now()
      const joined = await nodes.join({ version: '1.2.3', role: 'deliver' })
      const [node] = nodes.current
      expect(nodes.current).toHaveLength(1)
      expect(node).toMatchObject({ id: nodes.id, version: '1.2.3', role: 'deliver', isAlive: true })
      expect(Math.abs(node!.startedAt - before)).toBeLessThan(60_000)
      expect(node!.seenAt).toBeGreaterThanOrEqual(node!.startedAt)
      await joined[Symbol.asyncDispose]()
      await harness.reopen()
      const again = harness.backend.nodes
      await using _again = await again.join({ version: '1.2.3', role: 'all' })
      expect(again.id).not.toBe(nodes.id)
      expect(again.current.map(({ id }) => id)).toEqual([again.id])
    })
  })
}
