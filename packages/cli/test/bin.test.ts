import { describe, expect, it } from 'vitest'
import { run } from '@hookline/testing/cli/hookline'

describe('the hookline executable', () => {
  it('prints the exit codes in its help and in the help of a command', async () => {
    const helps = await Promise.all([run(['--help']), run(['send', '--help'])])
    for (const { code, stdout } of helps) {
      expect(code).toBe(0)
      expect(stdout).toContain(
        'Exit codes: 0 ok · 1 failed · 2 usage · 3 auth · 4 not found\n' +
          '            6 unreachable · 7 partial · 8 unhealthy · 130 interrupted',
      )
    }
  })

  it.for([
    [[], 'Usage: hookline'],
    [['sned'], 'Did you mean send?'],
    [['listen', '--prot', '1'], 'Did you mean --port?'],
    [['trace'], "missing required argument 'id'"],
    [['sources', 'list', '--url', 'localhost:4800'], 'It must be a URL like'],
  ] as const)('exits 2 and prints the reason for the arguments %j', async ([args, words]) => {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
  })

  it('prints its version as text and as JSON', async () => {
    const [text, json] = await Promise.all([run(['version']), run(['version', '--json'])])
    expect(text.stdout).toMatch(/^hookline \d+\.\d+\.\d+ \(Node v24\./)
    expect(JSON.parse(json.stdout)).toEqual({
      hookline: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      node: process.version,
      platform: process.platform,
      arch: process.arch,
    })
  })
})
