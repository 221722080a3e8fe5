import childProcess from 'child_process'
import fs from 'fs'
import url from 'url'

/** Where `npm ci` installs the clone's own Node. */
const NODE_OF_CLONE = url.fileURLToPath(
  new URL('../../../node_modules/node/bin/node', import.meta.url),
)

/** Set for the child process: its IPC channel closes when this process exits, even if it is killed. */
const ENDS_WITH_PARENT = '_HOOKLINE_ENDS_WITH_PARENT'

/** Stops this process when the parent that ran `runWithRightNode` exits, even if it was killed. */
export function endWithParent() {
  if (process.env[ENDS_WITH_PARENT] === undefined) return
  delete process.env[ENDS_WITH_PARENT]
  const end = () => process.kill(process.pid, 'SIGTERM')
  if (!process.connected) return end()
  process.once('disconnect', end)
  // Lets a finished command exit without waiting for its parent.
  process.channel.unref()
}

/** Runs the same command with the clone's own Node. Without one, prints instructions. */
export function runWithRightNode(needed, isClone) {
  // Otherwise, the clone's Node would start itself in an endless loop.
  const isThere =
    fs.existsSync(NODE_OF_CLONE) && fs.realpathSync(NODE_OF_CLONE) !== process.execPath
  if (!isClone || !isThere) return explain(needed, isClone)
  const args = [...process.execArgv, ...process.argv.slice(1)]
  const child = childProcess.spawn(NODE_OF_CLONE, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [ENDS_WITH_PARENT]: '1' },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal))
  }
  // For example, because it was built for another platform.
  child.on('error', () => explain(needed, isClone))
  child.on('exit', (code, signal) => endLike(code, signal))
}

function endLike(code, signal) {
  if (signal === null) {
    process.exitCode = code
  } else {
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
}

function explain(needed, isClone) {
  const inClone =
    `  Run \`npm ci\` in this clone: it also installs Node ${needed}, and hookline then runs with it.\n` +
    `  \`npm ci --omit=dev\` does not install Node: get Node ${needed} from https://nodejs.org.\n`
  const elsewhere = `  Install Node ${needed} from https://nodejs.org.\n`
  process.stderr.write(
    `error: Hookline needs Node ${needed} or newer; this is ${process.version}.\n` +
      (isClone ? inClone : elsewhere),
  )
  process.exitCode = 1
}
