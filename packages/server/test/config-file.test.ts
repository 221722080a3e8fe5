import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigError, parseConfig, resolveConfig } from '../src/config.ts'
import { readConfigFile } from '../src/config-file.ts'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

function fileWith(folder: TemporaryFolder, text: string, name = 'hookline.yaml'): string {
  const path = join(folder.path, name)
  writeFileSync(path, text)
  return path
}

function problemsOf(act: () => unknown): readonly string[] {
  try {
    act()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('the configuration file', () => {
  test('is YAML or JSON; a variable overrides it, a flag overrides both, and each value has its origin', () => {
    using folder = new TemporaryFolder()
    const yaml =
      'port: 1\nwebhookQueueSize: 2\nmaxInFlight: 3\nallowedNetworks:\n  - 10.0.0.0/8\n  - ::1/128\n'
    const path = fileWith(folder, yaml)
    const environment = { HOOKLINE_WEBHOOK_QUEUE_SIZE: '20', HOOKLINE_MAX_IN_FLIGHT: '30' }
    const { config, origins } = resolveConfig(
      environment,
      { maxInFlight: '300' },
      readConfigFile(path),
    )
    expect(config).toMatchObject({
      port: 1,
      webhookQueueSize: 20,
      maxInFlight: 300,
      allowedNetworks: ['10.0.0.0/8', '::1/128'],
    })
    expect(origins).toMatchObject({
      port: { kind: 'file', name: path },
      webhookQueueSize: { kind: 'environment', name: 'HOOKLINE_WEBHOOK_QUEUE_SIZE' },
      maxInFlight: { kind: 'flag', name: '--max-in-flight' },
      host: { kind: 'default' },
      adminToken: { kind: 'unset' },
    })
    const json = fileWith(folder, '{"port": 5, "host": "::1"}', 'hookline.json')
    expect(parseConfig({}, {}, readConfigFile(json))).toMatchObject({ port: 5, host: '::1' })
  })

  test('may be empty', () => {
    using folder = new TemporaryFolder()
    expect(readConfigFile(fileWith(folder, '# nothing yet\n')).values).toEqual({})
  })

  test('with unknown keys and invalid values is refused with all problems and suggestions', () => {
    using folder = new TemporaryFolder()
    const path = fileWith(folder, 'prot: 1\nwebhookQueueSize: many\nadminToken: ""\n')
    expect(problemsOf(() => parseConfig({ HOOKLINE_PROT: '1' }, {}, readConfigFile(path)))).toEqual(
      [
        'HOOKLINE_PROT is not a setting; did you mean HOOKLINE_PORT?',
        `prot in ${path} is not a setting; did you mean port?`,
        expect.stringContaining(`adminToken in ${path} must be`),
        `webhookQueueSize in ${path} must be a whole number from 1 to 65536, not "many"`,
      ],
    )
  })

  test.each([
    ['port: 4800\nwebhookQueueSize: 8: planted\n', 'line 2, column 19'],
    ['port: 4800\nadminToken: planted: x\n', 'line 2, column 13'],
    ['adminToken: |\n  planted\n\tplanted: [\n', 'line 3, column'],
    ['{"port": 4800, "adminToken": "planted" x}', 'line 1, column'],
    ['{\n  "port": 4800 "adminToken": "planted"\n}', 'line 2, column'],
  ])('that is invalid is reported by position, without quoting it: %j', (text, place) => {
    using folder = new TemporaryFolder()
    const [problem] = problemsOf(() => readConfigFile(fileWith(folder, text)))
    expect(problem).toContain(`is not valid YAML or JSON: error at or before ${place}`)
    expect(problem).not.toContain('planted')
  })

  test.each([
    ['- 1', /must be a mapping of setting names to values/],
    ['port: {a: 1}', /port in .* must be a string, a number/],
    ['a: "secret\nb: [', /is not valid YAML or JSON/],
  ])('%j is refused, without quoting it', (text, problem) => {
    using folder = new TemporaryFolder()
    const [only, ...more] = problemsOf(() => readConfigFile(fileWith(folder, text)))
    expect([only, more]).toEqual([expect.stringMatching(problem), []])
    expect(only).not.toContain('secret')
  })

  test('that does not exist is a problem', () => {
    expect(problemsOf(() => readConfigFile('/nowhere/h.yaml'))).toEqual([
      'Cannot read the configuration file /nowhere/h.yaml (ENOENT).',
    ])
  })
})

test('variables of tests are not mistaken for settings', () => {
  const environment = { HOOKLINE_REQUIRE_CHROMIUM: '1', HOOKLINE_REQUIRE_MOUNT: '1' }
  expect(() => parseConfig(environment)).not.toThrow()
})

describe('a duration', () => {
  test.each([
    ['7d', 604_800_000],
    ['36h', 129_600_000],
    ['1h30m', 5_400_000],
    ['90000', 90_000],
  ])('of %s is %d ms, as a flag, as a variable, and in a file', (text, ms) => {
    const file = { path: 'h.yaml', values: { retention: text } }
    for (const { retentionMs } of [
      parseConfig({}, { retentionMs: text }),
      parseConfig({ HOOKLINE_RETENTION: text }),
      parseConfig({}, {}, file),
    ])
      expect(retentionMs).toBe(ms)
  })

  test('that is invalid in a file is reported under its name in the file', () => {
    const file = { path: 'h.yaml', values: { retention: 'soon' } }
    expect(problemsOf(() => parseConfig({}, {}, file))).toEqual([
      expect.stringMatching(/^retention in h\.yaml must be a duration/),
    ])
  })

  test.each(['59s', '3651d', '7 days', '-1d', '1.5h', ''])('of %j is refused', (retentionMs) => {
    expect(problemsOf(() => parseConfig({}, { retentionMs }))).toEqual([
      `--retention must be a duration from 1m to 3650d, with units like 90s, 1h30m or 7d, not "${retentionMs}"`,
    ])
  })

  test('in a schedule may have a unit', () => {
    expect(parseConfig({}, { retryScheduleMs: '100, 2s,5m' }).retryScheduleMs).toEqual([
      100, 2_000, 300_000,
    ])
    expect(problemsOf(() => parseConfig({}, { retryScheduleMs: '1s,soon' }))).toHaveLength(1)
  })
})

describe('the URL of egressProxy', () => {
  test.each([
    'http://proxy.example:3128',
    'https://us%40er:p%25ss@proxy.example',
    'http://[::1]:3128/',
    'HTTP://10.0.0.1:8080',
  ])('may be %s', (egressProxy) => {
    expect(parseConfig({}, { egressProxy }).egressProxy?.reveal()).toBe(egressProxy)
  })

  test.each([
    '',
    'proxy.example:3128',
    'socks5://proxy.example:1080',
    'http://user:s3cret@proxy.example/path',
    'http://user:s3cret@proxy.example/?a=b',
    'http://user:s3cret%@proxy.example',
  ])('%j is refused, without quoting it', (egressProxy) => {
    const [only, ...more] = problemsOf(() => parseConfig({}, { egressProxy }))
    expect([only, more]).toEqual([expect.stringMatching(/^--egress-proxy must be a URL like/), []])
    expect(only).not.toContain('s3cret')
  })
})

describe('a secret in its own file', () => {
  test('is read without its line ending, and a variable with the secret itself takes precedence', () => {
    using folder = new TemporaryFolder()
    const HOOKLINE_ADMIN_TOKEN_FILE = fileWith(folder, 'tok_in_a_file\n', 'token')
    const { config, origins } = resolveConfig({ HOOKLINE_ADMIN_TOKEN_FILE })
    expect(config.adminToken?.reveal()).toBe('tok_in_a_file')
    expect(origins.adminToken).toEqual({ kind: 'environment', name: 'HOOKLINE_ADMIN_TOKEN_FILE' })
    const both = parseConfig({ HOOKLINE_ADMIN_TOKEN_FILE, HOOKLINE_ADMIN_TOKEN: 'tok_itself' })
    expect(both.adminToken?.reveal()).toBe('tok_itself')
  })

  test('that cannot be read is a problem, and only secrets have such a variable', () => {
    const environment = { HOOKLINE_ADMIN_TOKEN_FILE: '/nowhere/token', HOOKLINE_PORT_FILE: '/x' }
    expect(problemsOf(() => parseConfig(environment))).toEqual([
      expect.stringContaining('HOOKLINE_PORT_FILE is not a setting'),
      'Cannot read the file set in HOOKLINE_ADMIN_TOKEN_FILE (ENOENT): /nowhere/token',
    ])
  })
})
