import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MessagePort, threadId, Worker } from 'node:worker_threads'

// Preloaded by the benchmark `one-event`: counts the messages posted by each thread, and writes the number when it exits.

let messages = 0
for (const { prototype } of [MessagePort, Worker]) {
  const post = Reflect.get(prototype, 'postMessage') as (...args: unknown[]) => void
  prototype.postMessage = function (...args: unknown[]) {
    messages++
    Reflect.apply(post, this, args)
  }
}
process.on('exit', () =>
  writeFileSync(join(process.env['NODE_V8_COVERAGE']!, `messages-${threadId}`), String(messages)),
)
