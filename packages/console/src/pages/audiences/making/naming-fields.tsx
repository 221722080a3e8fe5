import { keyOfName } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { faultAt } from '../../../api/problem.ts'
import { Field, Select, TextInput } from '../../../design/controls/field.tsx'
import { useSpaces } from '../../../domain/spaces.ts'
import { shownText } from '../../../format/shown-text.ts'
import { AUDIENCES, type ComputationKind } from '../record/computation-kind.ts'
import type { NewRecord } from './new-record.ts'

interface NamingProps {
  readonly kind: ComputationKind
  readonly record: NewRecord
  readonly change: (part: Partial<NewRecord>) => void
  readonly error: unknown
}

/** Its name, its space, and whether its members are a list. */
export function NamingFields(props: NamingProps): ReactElement {
  const { kind, record, change, error } = props
  return (
    <div className="grid gap-4 pt-3 sm:grid-cols-2">
      <Field label="Name" fault={faultAt(error, '/name')} hint={<KeyHint name={record.name} />}>
        {(ids) => (
          <TextInput
            {...ids}
            autoFocus
            value={record.name}
            onChange={({ target }) => change({ name: target.value })}
          />
        )}
      </Field>
      <SpaceField {...props} />
      {kind === AUDIENCES && (
        <Field
          label="Members"
          hint={record.isManual ? 'You add and remove users by hand.' : 'Hookline finds them.'}
        >
          {(ids) => (
            <Select
              {...ids}
              value={record.isManual ? 'manual' : 'condition'}
              options={MEMBERS}
              onPick={(picked) => change({ isManual: picked === 'manual' })}
            />
          )}
        </Field>
      )}
    </div>
  )
}

const MEMBERS = [
  ['condition', 'by a condition'],
  ['manual', 'a list of users'],
] as const

function KeyHint({ name }: { readonly name: string }): ReactElement {
  // Two lines, whatever is written: the fields below must not move.
  return (
    <>
      <span className="block">Receivers get a trait, whose name never changes:</span>
      <span className="block truncate">
        {name.trim() === '' ? 'it is made of this name' : <code>{shownText(keyOfName(name))}</code>}
      </span>
    </>
  )
}

function SpaceField({ record, change, error }: NamingProps): ReactElement | null {
  const spaces = useSpaces()
  if (spaces.length === 1) return null
  return (
    <Field
      label="Space"
      fault={faultAt(error, '/space')}
      hint="Whose profiles are computed. Sources belong to a space."
    >
      {(ids) => (
        <Select
          {...ids}
          value={record.space}
          options={spaces.map((each) => [each, each])}
          onPick={(space) => change({ space })}
        />
      )}
    </Field>
  )
}
