import { expect, test } from 'vitest'
import { describeAction } from '../../src/domain/audit-action.ts'
import {
  actorChoices,
  type AuditEntry,
  changingActions,
  uniqueNames,
  pageOf,
  targetIdOf,
  targetNameOf,
} from '../../src/pages/system/audit/audit-facts.ts'
import { rolesUpTo } from '../../src/pages/system/access/roles.ts'
import { shownChecks } from '../../src/pages/system/overview/checks.ts'
import {
  isChanged,
  matchingSettings,
  originText,
  type Setting,
  valueOf,
} from '../../src/pages/system/settings/shown-settings.ts'

function settingOf(fields: Partial<Setting>): Setting {
  return {
    group: 'Server',
    name: 'port',
    flag: '--port',
    variable: 'HOOKLINE_PORT',
    value: '4800',
    isSet: true,
    hidden: null,
    default: '4800',
    origin: { kind: 'default' },
    help: 'Port to listen on.',
    ...fields,
  }
}

const entry: AuditEntry = {
  id: 'adt_1',
  at: '2026-01-01T00:00:00.000Z',
  actor: { id: 'tok_1', name: 'Ada', role: 'admin' },
  action: 'changeSource',
  targetId: 'src_1',
  before: {},
  after: {},
  requestId: 'req_1',
}

test('settings are found if their names, values or help contain all words of a search, ignoring case', () => {
  const all = [settingOf({}), settingOf({ name: 'host', variable: 'HOOKLINE_HOST', value: '::1' })]
  const found = (text: string) =>
    matchingSettings(all, { text, changedOnly: false }).map(({ name }) => name)
  expect(found('')).toEqual(['port', 'host'])
  expect(found(' hookline_HOST ')).toEqual(['host'])
  expect(found('listen ::1')).toEqual(['host'])
  expect(found('listen nothing')).toEqual([])
})

test.for<readonly [Partial<Setting>, boolean]>([
  [{ origin: { kind: 'default' } }, false],
  [{ origin: { kind: 'unset' } }, false],
  [{ origin: { kind: 'flag', name: '--port' } }, true],
  [{ origin: { kind: 'file', name: 'a.yaml', key: 'port' } }, true],
  [{ origin: null }, false],
  [{ origin: null, value: '1' }, true],
  [{ origin: null, value: null, hidden: 'secret', default: null }, true],
  [{ origin: null, value: null, hidden: 'secret', default: null, isSet: false }, false],
])('whether a setting was set explicitly: %o', ([fields, expected]) => {
  expect(isChanged(settingOf(fields))).toBe(expected)
  const found = matchingSettings([settingOf(fields)], { text: '', changedOnly: true })
  expect(found.length === 1).toBe(expected)
})

test('a hidden value shows the reason', () => {
  expect(valueOf(settingOf({}))).toEqual({ text: '4800', isValue: true })
  expect(valueOf(settingOf({ value: null })).text).toBe('not set')
  expect(valueOf(settingOf({ value: null, hidden: 'secret' })).text).toBe('hidden: secret')
  expect(valueOf(settingOf({ value: null, hidden: 'admins_only' })).text).toBe(
    'hidden: admins only',
  )
  expect(valueOf(settingOf({ value: null, hidden: 'secret', isSet: false })).text).toBe('not set')
})

test('the origin names the flag, or the file with its key', () => {
  expect(originText(null)).toBe('unknown')
  expect(originText({ kind: 'default' })).toBe('default')
  expect(originText({ kind: 'flag', name: '--port' })).toBe('flag --port')
  expect(originText({ kind: 'file', name: '/etc/h.yaml', key: 'port' })).toBe(
    'file /etc/h.yaml, port',
  )
  expect(originText({ kind: 'file', key: 'port' })).toBe('file, port')
})

test('failing checks come first, then checks with a note, each with its text', () => {
  const shown = shownChecks({
    checks: {
      database: { ok: true },
      clock: { ok: true, note: 'It was set back.' },
      deliveries: { ok: false, reason: 'It stops.' },
    },
    failingWorkers: [{ name: 'decide', reason: 'The disk is full.' }],
  })
  expect(shown.map(({ name, state, text }) => [name, state.words, text])).toEqual([
    ['deliveries', 'Failing', 'It stops.'],
    ['worker decide', 'Failing', 'The disk is full.'],
    ['clock', 'Warning', 'It was set back.'],
    ['database', 'OK', undefined],
  ])
})

test('an entry links to its target, unless the target was removed or has no page', () => {
  expect(pageOf(entry)).toEqual({ to: '/sources', search: { source: 'src_1' } })
  expect(pageOf({ ...entry, targetId: 'dst_1' })).toEqual({
    to: '/destinations/dst_1',
    search: {},
  })
  expect(pageOf({ ...entry, targetId: 'rpl_1' })).toEqual({
    to: '/destinations',
    search: { replay: 'rpl_1' },
  })
  expect(pageOf({ ...entry, after: null } as unknown as AuditEntry)).toBeUndefined()
  for (const targetId of ['syn_1', 'a user', 'src_1/../x', 'constructor_1', null])
    expect(pageOf({ ...entry, targetId })).toBeUndefined()
})

test('an entry shows the name of its record', () => {
  expect(targetNameOf(entry)).toBe(undefined)
  const named = { before: { name: 'Old' }, after: { name: 'ERP' } }
  expect(targetNameOf(named)).toBe('ERP')
  expect(targetNameOf({ ...named, after: null } as never)).toBe('Old')
})

test.for([
  ['createDestination', 'created destination'],
  ['retryDelivery', 'retried delivery'],
  ['cancelReplay', 'cancelled replay'],
  ['addWriteKey', 'added write key'],
  ['closeBreaker', 'closed breaker'],
] as const)('the action %s is shown as “%s”', ([action, words]) => {
  expect(describeAction(action)).toBe(words)
})

test('entries are filtered by distinct names', () => {
  const by = (id: string, name: string) => ({ ...entry, actor: { id, name, role: 'admin' } })
  expect(actorChoices([by('ses_1111', 'Ada'), by('ses_2222', 'Ada'), by('tok_3', 'CI')])).toEqual([
    ['ses_1111', 'Ada (admin) …1111'],
    ['ses_2222', 'Ada (admin) …2222'],
    ['tok_3', 'CI (admin)'],
  ])
  const names = uniqueNames(
    new Map([
      ['dst_1111', 'ERP'],
      ['src_2222', 'ERP'],
      ['dst_3333', 'CRM'],
    ]),
  )
  const texts = ['CRM', 'dst_9', 'ERP …2222', 'ERP']
  expect(texts.map((text) => targetIdOf(text, names))).toEqual([
    'dst_3333',
    'dst_9',
    'src_2222',
    'ERP',
  ])
})

test('only operations that change something are offered as actions', () => {
  const operations = ['listTokens', 'removeToken', 'getSystem', 'findProfile', 'createToken']
  expect(changingActions(operations)).toEqual(['createToken', 'removeToken'])
})

test('a role can grant at most itself', () => {
  expect(rolesUpTo('viewer').map(([role]) => role)).toEqual(['viewer'])
  expect(rolesUpTo('admin').map(([role]) => role)).toEqual(['viewer', 'editor', 'admin'])
})
