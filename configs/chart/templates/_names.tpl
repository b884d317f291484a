{{- define "quire.name" -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end }}

{{- define "quire.selector" -}}
app.kubernetes.io/name: quire
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "quire.labels" -}}
{{ include "quire.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "quire.secret" -}}
{{- .Values.secretName | default (include "quire.name" .) -}}
{{- end }}
