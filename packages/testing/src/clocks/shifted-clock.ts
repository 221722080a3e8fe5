import { readFileSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// For `node --import`: shifts the system clock for this process only. The file named by CLOCK_AHEAD_MS_FILE contains the
// number of milliseconds that the clock is ahead. The process acknowledges a change by copying the file to the same name
// with `.seen` appended.

const SystemDate = Date
const file = process.env['CLOCK_AHEAD_MS_FILE']!
let aheadMs = 0
read()
setInterval(read, 20).unref()

function read(): void {
  const text = readFileSync(file, 'utf8')
  aheadMs = Number(text)
  if (isMainThread) writeFileSync(`${file}.seen`, text)
}

function now(): number {
  return SystemDate.now() + aheadMs
}

globalThis.Date = new Proxy(SystemDate, {
  construct: (target, args: unknown[]): Date =>
    Reflect.construct(target, args.length === 0 ? [now()] : args),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
