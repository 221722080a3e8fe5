import { spawnSync } from 'node:child_process'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { HOOKLINE } from '@hookline/testing/repository'
import { expect, test } from 'vitest'

/** Runs a script in a network namespace without IPv4. The function `hookline` runs the command. */
function runWithoutIpv4(script: string, interfaces: string) {
  using folder = new TemporaryFolder()
  const hookline = 'hookline() { "$NODE" "$HOOKLINE" "$@"; }'
  const [program, ...args] = [
    'unshare',
    '-rn',
    'sh',
    '-ec',
    `${interfaces}\n${hookline}\n${script}`,
  ]
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder.path,
    encoding: 'utf8',
    timeout: 50_000,
    env: {
      PATH: process.env['PATH'],
      NODE: process.execPath,
      HOOKLINE,
      HOOKLINE_URL: 'http://[::1]:4800',
      HOOKLINE_ADMIN_TOKEN: 'tok_without_ipv4',
    },
  })
  return { status, stdout, stderr }
}

const ONLY_IPV6 = 'ip link set lo up; ip addr del 127.0.0.1/8 dev lo'
const isPossible = spawnSync('unshare', ['-rn', 'sh', '-ec', ONLY_IPV6]).status === 0

// Starts threads of each kind, because they listen or use the inspector.
const USE = `
"$NODE" "$HOOKLINE" start --host ::1 --ingest-threads 1 --delivery-threads 1 2>log & service=$!
trap 'kill $service; cat log >&2' EXIT
until hookline system >/dev/null 2>&1; do kill -0 $service; done
source=$(hookline sources create Shop --json | sed 's/.*"id":"\\(src_[^"]*\\)".*/\\1/')
hookline destinations create --source "$source" --webhook http://inspector.internal/ --enabled >/dev/null
hookline send track "Order Completed" --user u1 >/dev/null
until hookline inspector list | grep "Order Completed"; do kill -0 $service; done
`

test.skipIf(!isPossible)(
  'the service, its threads, the inspector and the command work without IPv4',
  () => {
    const { status, stdout, stderr } = runWithoutIpv4(USE, ONLY_IPV6)
    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(stdout).toContain('Order Completed')
  },
)

test.skipIf(!isPossible)(
  'without IPv4, starting on 127.0.0.1 fails, and the error names the address to use',
  () => {
    const { status, stderr } = runWithoutIpv4('hookline start', ONLY_IPV6)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /Cannot listen on 127\.0\.0\.1.*\n.*Use --host 127\.0\.0\.1 or ::1/,
      ),
    })
  },
)
