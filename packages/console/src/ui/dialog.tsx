import { type ComponentProps, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import css from './dialog.module.css'

interface DialogProps {
  readonly title: string
  readonly open: boolean
  /** Also called for the Escape key, unless `locked`. */
  readonly onClose: () => void
  /**
   * The reader must choose a button of the content, for example for a secret that is shown once.
   */
  readonly locked?: boolean
  readonly children: ReactNode
}

/** Gives the focus to the page if the element that had it is gone. */
export function keepFocus(): void {
  if (document.activeElement === document.body) document.querySelector('h1')?.focus({ preventScroll: true })
}

function leave(dialog: HTMLDialogElement | null): void {
  dialog?.close()
  // Its opener is gone.
  if (dialog?.contains(document.activeElement)) (document.activeElement as HTMLElement).blur()
  keepFocus()
}

/** A modal dialog of the browser: it keeps the focus inside and returns it. */
export function Dialog({ title, open, onClose, locked = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Not a passive effect: a key that is pressed next must find the dialog open or closed.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (open && dialog?.open === false) {
      dialog.showModal()
      dialog.querySelector<HTMLElement>('form :is(input, textarea, select)')?.focus()
    }
    if (!open && dialog?.open === true) dialog.close()
  }, [open])
  useLayoutEffect(() => {
    const dialog = ref.current
    return () => leave(dialog)
  }, [])
  return (
    <dialog
      ref={ref}
      className={css.dialog}
      aria-labelledby={id}
      onCancel={(event) => locked && event.preventDefault()}
      // The event comes late: the dialog may be open again.
      onClose={() => {
        if (ref.current?.open !== false) return
        // Browsers close it anyway when Escape is pressed again.
        if (open && locked) ref.current.showModal()
        else onClose()
      }}
    >
      <div className={classes('spread', css.head)}>
        <h2 id={id}>{title}</h2>
        {!locked && (
          <Button look="quiet" small onClick={onClose}>
            Close
          </Button>
        )}
      </div>
      {open && children}
    </dialog>
  )
}

interface DialogButtonProps extends Pick<ComponentProps<typeof Button>, 'look' | 'small'> {
  readonly label: string
  /** Of the dialog. */
  readonly title: string
  readonly children: (close: () => void) => ReactNode
}

/** A button that opens a dialog. */
export function DialogButton({ label, title, children, ...looks }: DialogButtonProps) {
  const [open, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  return (
    <>
      <Button {...looks} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog title={title} open={open} onClose={close}>
        {children(close)}
      </Dialog>
    </>
  )
}

export interface Question {
  readonly title: string
  readonly text: string
  /** What else is asked. */
  readonly content?: ReactNode
  /** Of the button that does it. */
  readonly label: string
  readonly onConfirm: () => void
}

interface ConfirmProps {
  readonly question: Question | null
  readonly onClose: () => void
}

/** Asks before something is lost. */
export const Confirm = ({ question, onClose }: ConfirmProps) => (
  <Dialog title={question?.title ?? ''} open={question !== null} onClose={onClose}>
    <div className="stack">
      <p>{question?.text}</p>
      {question?.content}
      <div className="row">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="danger"
          onClick={() => {
            onClose()
            question?.onConfirm()
          }}
        >
          {question?.label}
        </Button>
      </div>
    </div>
  </Dialog>
)
