// A collection for tests of retrieval: the same eight rules of a company in five languages, and questions about them in other forms of
// the words than the rules have. The answer to a question is the rule of its language and topic.

export type Rule = { topic: string; text: string; question: string }

export const fiveLanguages: Readonly<Record<'de' | 'fr' | 'es' | 'it' | 'pt', readonly Rule[]>> = {
  de: [
    {
      topic: 'invoices',
      text: 'Jede Rechnung wird innerhalb von dreißig Tagen bezahlt. Danach folgt eine Mahnung an den Kunden.',
      question: 'Wann werden Rechnungen gezahlt?',
    },
    {
      topic: 'vacation',
      text: 'Der Urlaub wird zwei Wochen vorher bei der Leiterin der Abteilung beantragt.',
      question: 'Wie stelle ich Urlaubsanträge bei einer Leitung?',
    },
    {
      topic: 'travel',
      text: 'Kosten einer Reise erstattet die Buchhaltung, wenn der Beleg eingereicht wurde.',
      question: 'Welche Reisen und Belege erstatten sie?',
    },
    {
      topic: 'on call',
      text: 'Der Techniker im Bereitschaftsdienst antwortet auf eine Störung in fünfzehn Minuten.',
      question: 'Wie schnell beantworten die Techniker Störungen?',
    },
    {
      topic: 'laptops',
      text: 'Ein neuer Mitarbeiter bekommt am ersten Tag ein Gerät und einen Ausweis.',
      question: 'Was bekommen neue Mitarbeiterinnen an Geräten?',
    },
    {
      topic: 'backups',
      text: 'Von der Datenbank wird in der Nacht eine Sicherung gemacht, die ein Jahr aufbewahrt wird.',
      question: 'Wie lange bewahren wir Sicherungen der Datenbanken?',
    },
    {
      topic: 'keys',
      text: 'Wer den Schlüssel des Büros verliert, meldet den Verlust dem Empfang.',
      question: 'Ich habe meine Schlüssel verloren, wer muss Verluste melden?',
    },
    {
      topic: 'complaints',
      text: 'Eine Beschwerde wird von der Leitung des Kundendienstes geprüft und schriftlich beantwortet.',
      question: 'Wer prüft Beschwerden?',
    },
  ],
  fr: [
    {
      topic: 'invoices',
      text: 'Chaque facture est payée dans les trente jours. Ensuite, une relance est envoyée au client.',
      question: 'Quand les factures sont-elles payées aux clients ?',
    },
    {
      topic: 'vacation',
      text: 'Le congé est demandé deux semaines à l’avance au responsable du service.',
      question: 'Comment demander des congés aux responsables ?',
    },
    {
      topic: 'travel',
      text: 'Les frais de voyage sont remboursés par la comptabilité après la remise du justificatif.',
      question: 'Qui rembourse les voyages et les justificatifs ?',
    },
    {
      topic: 'on call',
      text: 'Le technicien d’astreinte répond à un incident en quinze minutes.',
      question: 'En combien de temps répondent les techniciens aux incidents ?',
    },
    {
      topic: 'laptops',
      text: 'Un nouvel employé reçoit un ordinateur et un badge le premier jour.',
      question: 'Quels ordinateurs reçoivent les nouveaux employés ?',
    },
    {
      topic: 'backups',
      text: 'Une sauvegarde de la base de données est faite chaque nuit et conservée un an.',
      question: 'Combien de temps conservons-nous les sauvegardes ?',
    },
    {
      topic: 'keys',
      text: 'Celui qui perd la clé du bureau signale la perte à l’accueil.',
      question: 'À qui signaler des clés perdues ?',
    },
    {
      topic: 'complaints',
      text: 'Une réclamation est examinée par la direction du service client, qui répond par écrit.',
      question: 'Qui examine les réclamations ?',
    },
  ],
  es: [
    {
      topic: 'invoices',
      text: 'Cada factura se paga en treinta días. Después se envía un recordatorio al cliente.',
      question: '¿Cuándo se pagan las facturas?',
    },
    {
      topic: 'vacation',
      text: 'La vacación se solicita con dos semanas de antelación a la jefa del departamento.',
      question: '¿Cómo solicito vacaciones a los jefes?',
    },
    {
      topic: 'travel',
      text: 'La contabilidad reembolsa el gasto de un viaje cuando se entrega el recibo.',
      question: '¿Quién reembolsa gastos de viajes y recibos?',
    },
    {
      topic: 'on call',
      text: 'El técnico de guardia responde a un incidente en quince minutos.',
      question: '¿En cuánto tiempo responden los técnicos a incidentes?',
    },
    {
      topic: 'laptops',
      text: 'Un empleado nuevo recibe un ordenador y una tarjeta el primer día.',
      question: '¿Qué ordenadores reciben los empleados nuevos?',
    },
    {
      topic: 'backups',
      text: 'Cada noche se hace una copia de la base de datos, que se conserva un año.',
      question: '¿Cuánto tiempo conservamos las copias?',
    },
    {
      topic: 'keys',
      text: 'Quien pierde la llave de la oficina comunica la pérdida en recepción.',
      question: '¿A quién comunicar llaves perdidas de oficinas?',
    },
    {
      topic: 'complaints',
      text: 'La dirección del servicio examina cada queja y responde por escrito.',
      question: '¿Quién examina las quejas?',
    },
  ],
  it: [
    {
      topic: 'invoices',
      text: 'Ogni fattura viene pagata entro trenta giorni. Poi si invia un sollecito al cliente.',
      question: 'Quando vengono pagate le fatture?',
    },
    {
      topic: 'vacation',
      text: 'La ferie si chiede due settimane prima al responsabile del reparto.',
      question: 'Come chiedere ferie ai responsabili?',
    },
    {
      topic: 'travel',
      text: 'La contabilità rimborsa la spesa del viaggio dopo la consegna della ricevuta.',
      question: 'Chi rimborsa spese di viaggi e ricevute?',
    },
    {
      topic: 'on call',
      text: 'Il tecnico reperibile risponde a un guasto in quindici minuti.',
      question: 'In quanto tempo rispondono i tecnici ai guasti?',
    },
    {
      topic: 'laptops',
      text: 'Un nuovo dipendente riceve un computer e un tesserino il primo giorno.',
      question: 'Quali tesserini ricevono i nuovi dipendenti?',
    },
    {
      topic: 'backups',
      text: 'Ogni notte si fa una copia della banca dati, che si conserva per un anno.',
      question: 'Per quanto tempo conserviamo le copie?',
    },
    {
      topic: 'keys',
      text: 'Chi perde la chiave dell’ufficio segnala lo smarrimento alla portineria.',
      question: 'A chi segnalare chiavi smarrite di uffici?',
    },
    {
      topic: 'complaints',
      text: 'Un reclamo viene esaminato dalla direzione del servizio, che risponde per iscritto.',
      question: 'Chi esamina i reclami?',
    },
  ],
  pt: [
    {
      topic: 'invoices',
      text: 'Cada fatura é paga em trinta dias. Depois envia-se um lembrete ao cliente.',
      question: 'Quando são pagas as faturas?',
    },
    {
      topic: 'vacation',
      text: 'A folga é pedida com duas semanas de antecedência ao gestor da equipa.',
      question: 'Como pedir folgas aos gestores?',
    },
    {
      topic: 'travel',
      text: 'A contabilidade reembolsa a despesa da viagem depois da entrega do recibo.',
      question: 'Quem reembolsa despesas de viagens e recibos?',
    },
    {
      topic: 'on call',
      text: 'O técnico de piquete responde a uma avaria em quinze minutos.',
      question: 'Em quanto tempo respondem os técnicos a avarias?',
    },
    {
      topic: 'laptops',
      text: 'Um novo funcionário recebe um computador e um cartão no primeiro dia.',
      question: 'Que computadores recebem os novos funcionários?',
    },
    {
      topic: 'backups',
      text: 'Todas as noites faz-se uma cópia da base de dados, que se guarda durante um ano.',
      question: 'Quanto tempo guardamos as cópias?',
    },
    {
      topic: 'keys',
      text: 'Quem perde a chave do escritório comunica a perda na receção.',
      question: 'A quem comunicar chaves perdidas de escritórios?',
    },
    {
      topic: 'complaints',
      text: 'Uma reclamação é examinada pela direção do serviço, que responde por escrito.',
      question: 'Quem examina as reclamações?',
    },
  ],
}
