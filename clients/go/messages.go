package analytics

// Message has the common fields of all calls. All of them are optional.
type Message struct {
	// Type is set by the client.
	Type string `json:"type,omitempty"`
	// MessageId identifies the call: of several calls with the same MessageId, only the first is delivered. At most 100 characters.
	// Default: a random UUID.
	MessageId string `json:"messageId,omitempty"`
	// Timestamp is in ISO 8601 or the format of time.Time.String. Set a time in the past to import history; it is sent unchanged.
	// An invalid timestamp is rejected with timestamp_invalid. Default: now.
	Timestamp string `json:"timestamp,omitempty"`
	// SentAt is ignored: the client sets it for each request.
	SentAt string `json:"-"`
}

// Identify sets traits of a user.
type Identify struct {
	Context map[string]interface{} `json:"context,omitempty"`
	// Integrations selects the destinations that may receive the call: {"All": false, "Webhooks": true}.
	Integrations map[string]interface{} `json:"integrations,omitempty"`
	Traits       map[string]interface{} `json:"traits,omitempty"`
	AnonymousId  string                 `json:"anonymousId,omitempty"`
	UserId       string                 `json:"userId,omitempty"`
	Message
}

// Group adds a user to a group, and sets traits of the group.
type Group struct {
	Context      map[string]interface{} `json:"context,omitempty"`
	Integrations map[string]interface{} `json:"integrations,omitempty"`
	Traits       map[string]interface{} `json:"traits,omitempty"`
	AnonymousId  string                 `json:"anonymousId,omitempty"`
	UserId       string                 `json:"userId,omitempty"`
	GroupId      string                 `json:"groupId"`
	Message
}

// Track records an action by a user.
type Track struct {
	Context      map[string]interface{} `json:"context,omitempty"`
	Integrations map[string]interface{} `json:"integrations,omitempty"`
	Properties   map[string]interface{} `json:"properties,omitempty"`
	AnonymousId  string                 `json:"anonymousId,omitempty"`
	UserId       string                 `json:"userId,omitempty"`
	Event        string                 `json:"event"`
	Message
}

// Page records a page view.
type Page struct {
	Context      map[string]interface{} `json:"context,omitempty"`
	Integrations map[string]interface{} `json:"integrations,omitempty"`
	// Traits are the properties of the page; url, title, referrer and path have a standard meaning.
	Traits      map[string]interface{} `json:"properties,omitempty"`
	AnonymousId string                 `json:"anonymousId,omitempty"`
	UserId      string                 `json:"userId,omitempty"`
	Category    string                 `json:"category,omitempty"`
	Name        string                 `json:"name,omitempty"`
	Message
}

// Screen records a screen view in an app.
type Screen struct {
	Context      map[string]interface{} `json:"context,omitempty"`
	Integrations map[string]interface{} `json:"integrations,omitempty"`
	Properties   map[string]interface{} `json:"properties,omitempty"`
	AnonymousId  string                 `json:"anonymousId,omitempty"`
	UserId       string                 `json:"userId,omitempty"`
	Category     string                 `json:"category,omitempty"`
	Name         string                 `json:"name,omitempty"`
	Message
}

// Alias declares that PreviousId and UserId are the same user.
type Alias struct {
	Context      map[string]interface{} `json:"context,omitempty"`
	Integrations map[string]interface{} `json:"integrations,omitempty"`
	PreviousId   string                 `json:"previousId"`
	UserId       string                 `json:"userId"`
	Message
}

// Call is one of *Identify, *Track, *Page, *Screen, *Group and *Alias, for Client.Enqueue.
type Call interface {
	// fields returns the common fields of all calls, or false for a nil pointer.
	fields() (fields, bool)
	// with returns a copy of the call with these fields.
	with(message Message, context map[string]interface{}) interface{}
}

// fieldsOf returns false for a nil call.
func fieldsOf(call Call) (fields, bool) {
	if call == nil {
		return fields{}, false
	}
	return call.fields()
}

// fields are the fields of a call of any type, for validation.
type fields struct {
	message     Message
	context     map[string]interface{}
	userID      string
	anonymousID string
	groupID     string
	previousID  string
	event       string
}

// named returns the message of a call with its type.
func named(message Message, kind string) Message {
	message.Type = kind
	return message
}

func (m *Identify) fields() (fields, bool) {
	if m == nil {
		return fields{}, false
	}
	return fields{
		message: named(m.Message, "identify"), context: m.Context, userID: m.UserId, anonymousID: m.AnonymousId,
	}, true
}

func (m *Group) fields() (fields, bool) {
	if m == nil {
		return fields{}, false
	}
	return fields{
		message: named(m.Message, "group"), context: m.Context, userID: m.UserId, anonymousID: m.AnonymousId,
		groupID: m.GroupId,
	}, true
}

func (m *Track) fields() (fields, bool) {
	if m == nil {
		return fields{}, false
	}
	return fields{
		message: named(m.Message, "track"), context: m.Context, userID: m.UserId, anonymousID: m.AnonymousId,
		event: m.Event,
	}, true
}

func (m *Page) fields() (fields, bool) {
	if m == nil {
		return fields{}, false
	}
	return fields{
		message: named(m.Message, "page"), context: m.Context, userID: m.UserId, anonymousID: m.AnonymousId,
	}, true
}

func (m *Screen) fields() (fields, bool) {
	if m == nil {
		return fields{}, false
	}
	return fields{
		message: named(m.Message, "screen"), context: m.Context, userID: m.UserId, anonymousID: m.AnonymousId,
	}, true
}

func (m *Alias) fields() (fields, bool) {
	if m == nil {
		return fields{}, false
	}
	return fields{
		message: named(m.Message, "alias"), context: m.Context, userID: m.UserId, previousID: m.PreviousId,
	}, true
}

func (m Identify) with(message Message, context map[string]interface{}) interface{} {
	m.Message, m.Context = message, context
	return &m
}

func (m Group) with(message Message, context map[string]interface{}) interface{} {
	m.Message, m.Context = message, context
	return &m
}

func (m Track) with(message Message, context map[string]interface{}) interface{} {
	m.Message, m.Context = message, context
	return &m
}

func (m Page) with(message Message, context map[string]interface{}) interface{} {
	m.Message, m.Context = message, context
	return &m
}

func (m Screen) with(message Message, context map[string]interface{}) interface{} {
	m.Message, m.Context = message, context
	return &m
}

func (m Alias) with(message Message, context map[string]interface{}) interface{} {
	m.Message, m.Context = message, context
	return &m
}
