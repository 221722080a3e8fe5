import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { useMay } from '../../../api/session.ts'
import { usePages } from '../../../api/use-pages.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, TextArea } from '../../../design/controls/field.tsx'
import { Icon } from '../../../design/icon.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import { UserLink } from '../../../domain/user-link.tsx'
import { counted } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { MoreFooter } from '../record/more-footer.tsx'
import { userIdsIn } from './user-ids-in.ts'

const PAGE = 50

interface ListTabProps {
  readonly audienceId: string
  readonly space: string
}

/** The list of a manual audience: who is on it, and the way to add and remove users. */
export function ListTab({ audienceId, space }: ListTabProps): ReactElement {
  const mayEdit = useMay('editor')
  const change = useListChange(audienceId)
  return (
    <div className="grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <Panel title="On the list" isFlush>
        <Listed
          audienceId={audienceId}
          space={space}
          onRemove={mayEdit ? (userId) => change.mutate({ remove: [userId] }) : undefined}
        />
      </Panel>
      {mayEdit && (
        <Panel title="Change the list">
          <ChangeForm change={change} />
        </Panel>
      )}
    </div>
  )
}

function useListChange(audienceId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { add?: string[]; remove?: string[] }) =>
      api.changeMembers(audienceId, body),
    onSuccess: async (_, { add, remove }) => {
      const [count, verb] = add === undefined ? [remove!.length, 'Removed'] : [add.length, 'Added']
      toast(`${verb} ${counted(count, 'user')}.`)
      await client.invalidateQueries({ queryKey: ['audiences', audienceId] })
    },
  })
}

function ChangeForm({
  change,
}: {
  readonly change: ReturnType<typeof useListChange>
}): ReactElement {
  const [text, setText] = useState('')
  const userIds = userIdsIn(text)
  const submit = (action: 'add' | 'remove'): void =>
    change.mutate({ [action]: userIds }, { onSuccess: () => setText('') })
  const problem = change.error === null ? undefined : problemOf(change.error)
  return (
    <div className="flex flex-col gap-3">
      <Field
        label="userIds"
        hint={`One in each line, at most 5,000 at once. ${counted(userIds.length, 'user')} here.`}
        fault={
          problem &&
          [
            problem.message,
            ...problem.errors.map(({ message, hint }) => `${message} ${hint}`),
          ].join(' ')
        }
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={6}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button
          look="main"
          disabled={userIds.length === 0}
          isBusy={change.isPending}
          onClick={() => submit('add')}
        >
          Add to the list
        </Button>
        <Button
          disabled={userIds.length === 0}
          isBusy={change.isPending}
          onClick={() => submit('remove')}
        >
          Remove from the list
        </Button>
      </div>
    </div>
  )
}

interface ListedProps extends ListTabProps {
  readonly onRemove: ((userId: string) => void) | undefined
}

function Listed({ audienceId, space, onRemove }: ListedProps): ReactElement {
  const query = usePages({
    queryKey: ['audiences', audienceId, 'list'],
    fetch: (page) => api.listListedUsers(audienceId, { limit: PAGE, ...page }),
  })
  return (
    <Loaded query={query}>
      {(users) =>
        users.length === 0 ? (
          <Empty title="Nobody is on the list">
            Add users with the form on this page, or with <code>hookline audiences import</code>{' '}
            from a file.
          </Empty>
        ) : (
          <>
            <Table label="Users on the list" head={['User', ...(onRemove ? ['Remove'] : [])]}>
              {users.map(({ userId }) => (
                <ListedUser key={userId} userId={userId} space={space} onRemove={onRemove} />
              ))}
            </Table>
            <MoreFooter shown={users.length} query={query} />
          </>
        )
      }
    </Loaded>
  )
}

interface ListedUserProps extends Pick<ListedProps, 'space' | 'onRemove'> {
  readonly userId: string
}

function ListedUser({ userId, space, onRemove }: ListedUserProps): ReactElement {
  return (
    <Row>
      <Cell>
        <UserLink userId={userId} space={space} />
      </Cell>
      {onRemove && (
        <Cell>
          <Button
            look="quiet"
            className="min-h-6 px-1.5 py-0.5"
            aria-label={`Remove ${shownText(userId, 80)}`}
            onClick={() => onRemove(userId)}
          >
            <Icon name="cross" className="size-3" />
          </Button>
        </Cell>
      )}
    </Row>
  )
}
