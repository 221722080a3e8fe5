import { createServer } from 'node:http'
import { isMainThread, threadName, BroadcastChannel, type Worker } from 'node:worker_threads'

// For `node --import`: ends threads of this process, as an operator cannot. It runs in the main thread, which takes commands
// at the port THREAD_FAULTS_PORT, and in every other thread:
//
//     POST /terminate/<thread>    Worker.terminate()
//     POST /fault/<thread>        the thread throws, and nothing catches it
//
// The response comes when the thread has ended: 204, or 404 where no thread has this name now.

const REPEAT_MS = 5
const faults = new BroadcastChannel('thread-faults')
faults.unref()

if (isMainThread) takeCommands()
else throwWhenAsked()

function takeCommands(): void {
  const threads = new Map<string, Worker>()
  process.on('worker', (thread) => {
    // Without a name once it has ended.
    const name = thread.threadName!
    threads.set(name, thread)
    thread.once('exit', () => {
      if (threads.get(name) === thread) threads.delete(name)
    })
  })
  const server = createServer((request, response) => {
    const [, command, name = ''] = request.url!.split('/')
    const thread = threads.get(name)
    if (thread === undefined) {
      response.writeHead(404).end()
      return
    }
    if (command === 'terminate') void thread.terminate()
    // Again and again: a thread that has just been started does not listen yet.
    else
      thread.once(
        'exit',
        repeat(() => faults.postMessage(name)),
      )
    thread.once('exit', () => response.writeHead(204).end())
  })
  // The process ends when nothing keeps it alive.
  server.on('connection', (socket) => socket.unref())
  server.listen(Number(process.env['THREAD_FAULTS_PORT']), '127.0.0.1').unref()
}

/** Returns the function that ends it. */
function repeat(act: () => void): () => void {
  const timer = setInterval(act, REPEAT_MS)
  return () => clearInterval(timer)
}

function throwWhenAsked(): void {
  faults.addEventListener('message', (event) => {
    if ((event as MessageEvent).data !== threadName) return
    setImmediate(() => {
      throw new Error('A fault of the test.')
    })
  })
}
