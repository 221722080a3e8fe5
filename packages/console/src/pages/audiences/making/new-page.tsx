import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { faultAt, problemOf } from '../../../api/problem.ts'
import { useMay } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Panel } from '../../../design/panel.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import { PageHeading } from '../../../shell/page-heading.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import { DefinitionEditor } from '../builder/definition-editor.tsx'
import { DestinationPicker } from '../record/destination-picker.tsx'
import { writingOf } from '../builder/writing.ts'
import { withDraft } from '../draft/definition-draft.ts'
import { AUDIENCES, type Computation, type ComputationKind } from '../record/computation-kind.ts'
import { ListLink } from '../record/page-link.tsx'
import { NamingFields } from './naming-fields.tsx'
import { bodyOf, type NewRecord } from './new-record.ts'

interface NewPageProps {
  readonly kind: ComputationKind
}

/** A new audience or computed trait. */
export function NewPage({ kind }: NewPageProps): ReactElement {
  const mayEdit = useMay('editor')
  return (
    <>
      <PageHeading
        title={`New ${kind.one}`}
        about={
          kind === AUDIENCES
            ? 'A group of users. Destinations get an identify call when a user enters or leaves it.'
            : 'A value of each user that is made from events. Destinations get an identify call when it changes.'
        }
        actions={<ListLink kind={kind} />}
      />
      {mayEdit ? (
        <NewForm kind={kind} />
      ) : (
        <p>You may look, not change: the role editor is needed to create one.</p>
      )}
    </>
  )
}

function NewForm({ kind }: NewPageProps): ReactElement {
  const writing = writingOf(kind)
  const [{ form }, setUrl] = useUrlState<'form'>()
  const [record, setRecord] = useState<NewRecord>(() => ({
    name: '',
    space: 'default',
    isManual: false,
    destinationIds: [],
    definition: withDraft(writing.notation, writing.newDraft()),
  }))
  const change = (part: Partial<NewRecord>): void => setRecord({ ...record, ...part })
  const create = useCreating(kind)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    create.mutate(record)
  }
  // What the service said is about what was sent, not about what was written since.
  const error = create.variables?.definition === record.definition ? create.error : null
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
          faults={error === null ? [] : problemOf(error).errors}
          form={form === 'json' ? 'json' : 'inputs'}
          onForm={(next) => setUrl({ form: next === 'json' ? next : undefined })}
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
          look="main"
          isBusy={create.isPending}
          disabled={record.definition.json === undefined && !record.isManual}
        >
          Create the {kind.one}
        </Button>
        {create.error !== null && (
          <p role="alert" className="text-failed">
            {problemOf(create.error).message} {faultAt(create.error, '')}
          </p>
        )}
      </footer>
    </form>
  )
}

function useCreating(kind: ComputationKind) {
  const client = useQueryClient()
  const [, setUrl] = useUrlState<string>()
  return useMutation({
    mutationFn: (record: NewRecord) => kind.create(bodyOf(kind, record)),
    onSuccess: async (created: Computation) => {
      client.setQueryData([kind.resource, created.id], created)
      await client.invalidateQueries({ queryKey: [kind.resource], exact: true })
      toast('Created. Its first sync runs: all users are evaluated.')
      setUrl({ new: undefined, form: undefined, [kind.param]: created.id })
    },
  })
}
