import { type JsonObject, keyOfName } from '@hookline/protocol'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { errorAt, problemOf } from '../../../api/problem.ts'
import { useHasRole } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, Select, TextInput } from '../../../design/controls/field.tsx'
import { Panel } from '../../../design/panel.tsx'
import { toast } from '../../../design/dialogs/toasts.tsx'
import { useSpaces } from '../../../domain/spaces.ts'
import { shownText } from '../../../format/shown-text.ts'
import { PageHeading } from '../../../shell/page-heading.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import { DefinitionEditor } from '../builder/definition-editor.tsx'
import {
  type DefinitionDraft,
  withDraft,
} from '../../../domain/conditions/draft/definition-draft.ts'
import { AUDIENCES, type Computation, type ComputationKind } from '../record/computation-kind.ts'
import { DestinationPicker } from '../record/destination-picker.tsx'
import { PageLink } from '../record/page-link.tsx'

interface NewPageProps {
  readonly kind: ComputationKind
}

export function NewPage({ kind }: NewPageProps): ReactElement {
  const canEdit = useHasRole('editor')
  return (
    <>
      <PageHeading
        title={`New ${kind.one}`}
        up={<PageLink search={kind.listSearch}>Audiences</PageLink>}
        about={
          kind === AUDIENCES
            ? 'Destinations receive an identify call when a user enters or leaves.'
            : 'Destinations receive an identify call when a user’s value changes.'
        }
      />
      {canEdit ? <NewForm kind={kind} /> : <p>You need the editor role to do this.</p>}
    </>
  )
}

interface NewRecord {
  readonly name: string
  readonly space: string
  readonly isManual: boolean
  readonly destinationIds: string[]
  readonly definition: DefinitionDraft<unknown>
}

function NewForm({ kind }: NewPageProps): ReactElement {
  const [record, setRecord] = useState<NewRecord>(() => ({
    name: '',
    space: 'default',
    isManual: false,
    destinationIds: [],
    definition: withDraft(kind.notation, kind.notation.newDraft()),
  }))
  const change = (part: Partial<NewRecord>): void => setRecord({ ...record, ...part })
  const create = useCreate(kind)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    create.mutate(record)
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Panel>
        <NamingFields kind={kind} record={record} change={change} error={create.error} />
      </Panel>
      {!record.isManual && (
        <DefinitionEditor
          kind={kind}
          space={record.space}
          value={record.definition}
          onChange={(definition) => change({ definition })}
          error={create.variables?.definition === record.definition ? create.error : null}
        />
      )}
      <Panel>
        <DestinationPicker
          picked={record.destinationIds}
          onPick={(destinationIds) => change({ destinationIds })}
          error={create.error}
        />
      </Panel>
      <footer className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          variant="primary"
          isBusy={create.isPending}
          disabled={record.definition.json === undefined && !record.isManual}
        >
          Create {kind.one}
        </Button>
        {create.error !== null && (
          <p role="alert" className="text-failed">
            {problemOf(create.error).message} {errorAt(create.error, '')}
          </p>
        )}
      </footer>
    </form>
  )
}

function useCreate(kind: ComputationKind) {
  const client = useQueryClient()
  const [, setUrl] = useUrlState<string>()
  return useMutation({
    mutationFn: ({ name, space, isManual, destinationIds, definition }: NewRecord) =>
      kind.create({
        name,
        space,
        destinationIds,
        ...(isManual ? { manual: true } : { [kind.definition]: definition.json as JsonObject }),
      }),
    onSuccess: async (created: Computation) => {
      client.setQueryData([kind.resource, created.id], created)
      await client.invalidateQueries({ queryKey: [kind.resource], exact: true })
      toast('Created. The first sync is running.')
      setUrl({ new: undefined, form: undefined, [kind.param]: created.id })
    },
  })
}

const MEMBERS = [
  ['condition', 'Match a condition'],
  ['manual', 'Manual list'],
] as const

interface NamingFieldsProps extends NewPageProps {
  readonly record: NewRecord
  readonly change: (part: Partial<NewRecord>) => void
  readonly error: unknown
}

function NamingFields({ kind, record, change, error }: NamingFieldsProps): ReactElement {
  const spaces = useSpaces()
  return (
    <div className="grid gap-4 pt-3 sm:grid-cols-2">
      <Field
        label="Name"
        fieldError={errorAt(error, '/name')}
        hint={<KeyHint name={record.name} />}
      >
        {(ids) => (
          <TextInput
            {...ids}
            autoFocus
            value={record.name}
            onChange={({ target }) => change({ name: target.value })}
          />
        )}
      </Field>
      {spaces.length > 1 && (
        <Field
          label="Space"
          fieldError={errorAt(error, '/space')}
          hint="Only profiles in this space are included."
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
      )}
      {kind === AUDIENCES && (
        <Field label="Members">
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

/** Always one line, so that the fields below do not move. */
function KeyHint({ name }: { readonly name: string }): ReactElement {
  return (
    <span className="block truncate">
      Trait key (permanent):{' '}
      {name.trim() === '' ? 'derived from the name' : <code>{shownText(keyOfName(name))}</code>}
    </span>
  )
}
