import { createServer } from 'node:http'
import { isMainThread, threadName, BroadcastChannel, type Worker } from 'node:worker_threads'

// Loaded with `node --import`: kills threads of this process on request. It runs in every thread. The main thread accepts
// commands at the port THREAD_FAULTS_PORT:
//
//     POST /terminate/<thread>    Worker.terminate()
//     POST /fault/<thread>        throws an uncaught error in the thread
//
// The response is 204 when the thread has exited, or 404 immediately if no thread has this name.

const REPEAT_MS = 5
const faults = new BroadcastChannel('thread-faults')
faults.unref()

if (isMainThread) takeCommands()
else throwOnRequest()

function takeCommands(): void {
  const threads = new Map<string, Worker>()
  process.on('worker', (thread) => {
    // Read now, because an exited thread has no name.
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
    // Repeated, because a new thread may not be listening yet.
    else
      thread.once(
        'exit',
        repeat(() => faults.postMessage(name)),
      )
    thread.once('exit', () => response.writeHead(204).end())
  })
  // Must not keep the process alive.
  server.on('connection', (socket) => socket.unref())
  server.listen(Number(process.env['THREAD_FAULTS_PORT']), '127.0.0.1').unref()
}

/** Returns a function that stops the repetition. */
function repeat(act: () => void): () => void {
  const timer = setInterval(act, REPEAT_MS)
  return () => clearInterval(timer)
}

function throwOnRequest(): void {
  faults.addEventListener('message', (event) => {
    if ((event as MessageEvent).data !== threadName) return
    setImmediate(() => {
      throw new Error('Thrown by the test.')
    })
  })
}
