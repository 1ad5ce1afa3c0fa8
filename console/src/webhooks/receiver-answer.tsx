import '../styles/webhooks.css'

/** The beginning of what a receiver answered, as it came. */
export const ReceiverAnswer = ({ text }: { text: string }) =>
  text === '' ? <span className="muted">empty</span> : <code className="delivery-answer">{text}</code>
