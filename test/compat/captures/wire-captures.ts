import { browserCaptures } from './browser.ts'
import { goCaptures } from './go.ts'
import { jvmCaptures } from './jvm.ts'
import { nodeCaptures } from './node.ts'
import { scriptingCaptures } from './scripting.ts'
import type { WireCapture } from './wire-capture.ts'

/** A request of each client library as it stands on the wire, sent now with this write key. */
export function wireCaptures(writeKey: string): readonly WireCapture[] {
  const authorization = `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`
  const sender = { writeKey, authorization, now: new Date().toISOString() }
  return [
    ...goCaptures(sender),
    ...scriptingCaptures(sender),
    ...jvmCaptures(sender),
    ...browserCaptures(sender),
    ...nodeCaptures(sender),
  ]
}
