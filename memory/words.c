#include "memory/words.h"

#include "memory/base/stem.h"
#include "memory/word_memo.h"

/* Each list is one text of words in byte order with single spaces between them: no pointers that
 * the loader would have to relocate, and a binary search by bytes. Two-word names have a '-' for
 * their space. The tests check the order. */
#define LIST(words) ((str){words, sizeof(words) - 1})

/* Function words of English, folded, contractions without their apostrophe. */
static const char stops[] =
    "a about above after again against ain all also am an and any are aren arent as at be"
    " because been before being below between both but by can cannot cant could couldn"
    " couldnt did didn didnt do does doesn doesnt doing don dont down during each either else"
    " ever every few for from further had hadn hadnt has hasn hasnt have haven havent having"
    " he her here hers herself him himself his how however i if in into is isn isnt it its"
    " itself just least let like ll may me might mightn mightnt more most must mustn mustnt"
    " my myself neednt neither no nor not now of off often on once only onto or other our"
    " ours ourselves out over own per quite rather re really s same shall shan shant she"
    " should shouldn shouldnt since so some such t than that thats the their theirs them"
    " themselves then there these they this those though through thus to too under until up"
    " upon us ve very was wasn wasnt we were weren werent what whatever when where whether"
    " which while who whom whose why will with within without won wont would wouldn wouldnt"
    " yet you your yours yourself yourselves";

/* Function words of German that are no English words. */
static const char german_stops[] =
    "aber als auf aus bei beim dann das dem den denn der des durch ein eine einem einen einer"
    " eines es für gegen hatte hatten ich ihr ihre im ist kann können könnte mit muss"
    " musste müssen nach nicht noch nur oder ohne sich sie sind soll sollen sollte sollten"
    " und uns unser unsere unter vom von vor wann waren warum wegen welche welchem welchen"
    " welcher welches wenn wer werde werden wie wieso wir wird wo wohin womit worden wurde"
    " wurden zu zum zur zwischen über";

/* Function words, adverbs, interjections, irregular verbs, roles: what a sentence or a note opens
 * with. */
static const char openers[] =
    "a aboard about above absolutely according accordingly across actor actress actually"
    " additionally after afterward afterwards again against ago ah aha ahead ain alas albeit"
    " all allegedly almost alone along alongside already alright also although altogether"
    " always am amid among amongst an and another any anybody anyhow anyone anything anyway"
    " anyways anywhere apart apparently are aren arent around artist as aside assistant at"
    " author aw away awesome aww back basically be beautiful became because been before began"
    " behind being below beneath beside besides best better between beyond boss both bought"
    " briefly bro broke brother brought btw built but by bye came can cannot cant captain"
    " caught ceo certainly cheers chef chose clearly close coach colleague composer"
    " concerning congrats congratulations consequently considering contractor cool cooler"
    " correct could couldn couldnt cousin coworker cto currently dad daddy daughter dear"
    " definitely depending designer despite developer did didn didnt directly director do"
    " doctor does doesn doesnt doing don done dont down drew drove dude during each earlier"
    " early easily editor eight either eleven else engineer enough especially essentially etc"
    " eventually ever every everybody everyone everything everywhere evidently exactly"
    " excellent except excited exciting excluding fantastic far father fell felt few fifteen"
    " fifth fifty filmmaker finally fine first five following for former formerly forty found"
    " founder four fourth frankly frequently friend from fun further furthermore gave"
    " generally given glad gone good goodbye goodness gosh got gotcha gotten gradually"
    " grandfather grandma grandmother grandpa great greetings grew guess guitarist guys ha"
    " had hadn hadnt haha hahaha half hardly has hasn hasnt have haven havent having he heard"
    " held hello hence her here hers herself hey hi hidden him himself his historian"
    " historically hmm honestly hooray hopefully how however huh hundred hundreds hurray hurt"
    " husband i ideally if immediately in incidentally including incredible indeed initially"
    " inside instead interesting interestingly intern internally into ironically is isn isnt"
    " it its itself jeez journalist just kept kinda knew laid last late lately later latest"
    " lawyer lead least led left lent less let lets like likewise literally little ll locally"
    " long lost lot lots lovely luckily lucky made mainly maintainer manager many may maybe"
    " me meant meanwhile merely met might mightn mightnt mine mom mommy more moreover most"
    " mostly mother much mum musician must mustn mustnt mutually my myself namely near nearby"
    " nearly necessarily neednt neighbor neighbour neither never nevertheless next nice nine"
    " no nobody none nonetheless nope nor normally not notably nothing novelist now nowadays"
    " nowhere nurse obviously occasionally of off often oh ok okay old older on once one ones"
    " only onto oof oops opposite or originally other others otherwise ouch our ours ourselves out"
    " outside over overall own paid painter particularly partner past per perfect perhaps"
    " personally phew philosopher photographer pianist playwright please plus poet possibly"
    " present presently presumably previously prior probably producer professor programmer"
    " proper provided providing put quickly quietly quite ran rapper rarely rather re read"
    " ready really recently regarding regardless related reportedly respectively reviewer"
    " right roommate roughly s sadly said same sat saw screenwriter seen seldom sent"
    " separately seven seventh several shall shan shant she shortly should shouldn shouldnt"
    " shown shut similar similarly simply since singer single sister six sixth slowly so sold"
    " some somebody somehow someone something sometime sometimes somewhat somewhere son"
    " songwriter soon sooner sorry specifically spent spoke stakeholder starting still stood"
    " strangely strictly stuck student subsequently successfully such suddenly super sure"
    " surely surprisingly sweet t taken taught teacher teammate technically ten tenth tester"
    " than thank thankfully thanks that thats the their theirs them themselves then there"
    " these they third thirteen thirty this those though thought thousand three threw through"
    " throughout thus till to today together told tomorrow tonight too took toward towards"
    " true truly twelve twenty twice two typically ugh ultimately umm uncle under underneath"
    " understood unfortunately unless unlike unlikely unsure unsurprisingly until unto up"
    " upon us user usually ve vendor versus very via vs wait was wasn wasnt we welcome well"
    " went were weren werent what whatever when whenever where whereas whereby wherein"
    " wherever whether which whichever while who whoa whoever whom whose why wife will with within"
    " without woah won wonderful wont woohoo woops wore worse worst would wouldn wouldnt"
    " wow writer written wrote yay yeah yep yes yesterday yet yikes yo you your yours"
    " yourself yourselves yup";

/* Verbs in their base form, as they open notes and messages; their regular forms count too. */
static const char verbs[] =
    "accept achieve acknowledge act adapt add adjust admit adopt agree allow analyze announce"
    " answer appear apply appreciate approve archive argue arrange arrive ask assign assume"
    " attach attend avoid back bake batch become begin believe benchmark block boot born"
    " borrow break bring build bump buy cache calculate call cancel capture care catch cause"
    " change check choose clarify clean clear click clone close collect combine come commit"
    " compare compile complain complete compute configure confirm connect consider"
    " consolidate consult contact contain continue contribute convert copy correct cover"
    " create cut debug decide declare decline decommission define delay delete deliver deploy"
    " deprecate derive describe design destroy detect develop disable discover discuss"
    " display document double download draft drive drop duplicate earn edit eliminate email"
    " embed emit enable encourage encrypt end enforce enjoy ensure enter escape establish"
    " estimate evaluate evolve examine exclude execute exercise expand expect experience"
    " explain explore export expose express extend extract face fail feature feed feel fetch"
    " fight figure file fill filter find finish fix flush focus fold follow force forget fork"
    " format freeze generate get give go grab grant group grow guarantee guess handle happen"
    " hate have hear help hide highlight hire hit hold hope host identify ignore imagine"
    " implement import improve include increase index indicate influence inform inherit"
    " initialize insert inspect inspire install integrate introduce invent invest investigate"
    " invite invoke isolate join jump keep kick kill know label last launch lead learn leave"
    " let leverage license lift like limit link list listen load locate lock log look loop"
    " lose love lower maintain make manage map match mean measure meet mention merge migrate"
    " miss mock modify monitor move name need note notice notify number observe obtain offer"
    " omit open operate opt order organize output override own pack paint parse participate"
    " pass patch pause pay perform persist pick pin ping place plan play polish post practice"
    " prefer prepare present preserve prevent print process produce profile promise promote"
    " prompt propose protect prove provide publish pull purchase push put query question"
    " raise reach read realize rebuild recall receive recommend record recover redesign"
    " redirect reduce refactor refer reference refine reflect refresh refuse register reject"
    " relate release remember remind remove rename render reopen reorder repair repeat"
    " replace reply report request require reset resolve restart restore restrict result"
    " resume retrieve retry return reuse reveal revert review rewrite ride rollback rotate"
    " route run save say scale scan schedule score search secure see seed seek seem select"
    " sell send separate serve set settle setup shape share ship show shut sign simplify sing"
    " skip sleep solve sort sound speak specify speed spend spin split spot stage stand start"
    " stay step stop store stress strip study submit succeed suggest support suppose suspect"
    " swap switch sync take talk target taste teach tell test thank think throw touch track"
    " train transfer transform translate travel treat trigger trim trust try tune turn tweak"
    " unblock understand undo unify update upgrade upload use validate verify view visit vote"
    " wait walk want warn watch wear weigh welcome win wish wonder work worry wrap write";

/* What looks like a form of these verbs but opens names ("United", "Building"). */
static const char not_verbs[] =
    "accepted acting building buildings calling lives living named numbers parks plants"
    " points reading settled stands stars states stores training united wills working years";

/* Weekdays and months. */
static const char calendar[] =
    "apr april aug august dec december feb february fri friday fridays jan january jul july"
    " jun june mar march may mon monday mondays nov november oct october sat saturday"
    " saturdays sep sept september sun sunday sundays thu thur thurs thursday thursdays tue"
    " tues tuesday tuesdays wed wednesday wednesdays";

/* Too general to be worth a node: every text of the trade has them. */
static const char generics[] =
    "access account action actions activity ad addition address advice afternoon age agent"
    " agents aim aka am amount analysis and answer answers anybody anyone anything api apis"
    " app application applications approach apps area areas argument arguments article"
    " articles asap aspect aspects attempt aunt author baby background backup base basis bc"
    " behavior behaviour benefit best best-practice best-practices bit book books bool"
    " boolean branch brb bro brother btw buddy bug bugs build builds business call calls care"
    " case cases category cause caution ce center chance change changes chapter char chat"
    " check checks child children choice city class classes client clients code code-review"
    " column command command-line commands comment comments commit commits company component"
    " components concept condition config configuration console constant content contents"
    " context control conversation copy count country couple course cpu current customer"
    " customers dad data database databases date dates daughter day days deadline debug"
    " decision decisions default definition demo design detail details dev developer"
    " developers development device difference directory discussion document documentation"
    " documents done double draft dude edge edit effect effort eg element elements email"
    " emails end endpoint endpoints engine entity entries entry env environment error errors"
    " etc evening event events everybody everyone everything example examples exception"
    " experience expression fact facts false family faq father favorite feature features"
    " feedback field fields figure file files fix fixme float flow folder folders form format"
    " framework friend friends front function functions future fyi game general goal goals"
    " good grandma grandpa group groups guide guy guys hack haha half help hey hi history"
    " hold home homepage hour hours house http https human husband id idea ideas idk ids ie"
    " ii iii image images imho imo impact implementation import important info information"
    " input inputs instance int integer interest interface internet introduction issue issues"
    " item items iv job jobs key keys kid kids kind knowledge label language last last-month"
    " last-week last-year layer lead level levels library life limit line lines link links"
    " list lmao local location log logic login logs lol long lot lots love machine mail main"
    " man manager matter me meaning meeting meetings member members memory men merge-request"
    " message messages method methods mind minute minutes mode model models mom moment money"
    " month months morning mother mum music name names nb need network new news next-month"
    " next-week next-year night no none note notes nothing notice np null number numbers"
    " object objects ok okay omg one online open-source operation option options order org"
    " organization output outputs overview owner package page pages pair paper parameter"
    " parameters parent part parts party past path paths pattern people performance period"
    " person perspective phase phone photo photos pic pics picture piece place places plan"
    " plans platform play pm point points policy position post posts power pr practice"
    " problem problems process product production program progress project projects property"
    " prototype prs ps pull-request pull-requests purpose quality query question questions"
    " queue random range rate reason reasons record records reference regard release repo"
    " report repository request requests requirement requirements research resource resources"
    " response responses rest result results return review reviews rip risk rn role room root"
    " row rows rule rules run sale sample scope score screen script scripts search season"
    " second seconds section sections security select self sense series server servers"
    " service services session sessions set setting settings setup shape share shop show side"
    " sign signal sir sister site size snippet software solution solutions some somebody"
    " someone something son song source source-code sources space spec stage staging standard"
    " start state states status step steps stop storage story strategy string strings"
    " structure student students stuff style subject success suggestion summary support"
    " system systems tab table tables tag tags target task tasks tba tbd teacher team teams"
    " tech technique technology term terms test test-suite tests text the thing things think"
    " thought thoughts thx ticket tickets tier time times tip tips title tldr today todo"
    " token tokens tomorrow tonight tool tools top topic topics total town training trip true"
    " try tuple ty type types ui uncle unit unit-test unit-tests update updates upgrade uri"
    " url urls usage use user users utc value values variable variables version versions"
    " video view vs warning way ways web website week weekend weeks whole wife wip woman"
    " women word words work workflow world wow xxx yay year years yesterday";

/* Given names that are everyday words as well. */
static const char given_names[] =
    "abby amber angel april art august autumn bill bob brook buck carter cash charity chase"
    " chip chuck cliff dale dawn dean dee don drew earl faith frank gene grace grant guy hope"
    " hunter iris ivy jack jasmine jean jim joy june king lance lane lee lily mark mason may"
    " melody miles nick norm olive parker pat pearl penny rand ray red rich rob robin rose"
    " ruby rusty sage sandy scout skip sterling sue summer taylor terry tony trace tucker"
    " victor violet wade ward will willow woody zen";

/* Only names that are no English word in lower case. */
static const char technologies[] =
    ".net aiohttp airflow akka algolia angular ansible anthropic arduino argocd asp.net avro"
    " aws azure bash bazel bigquery bitbucket boto3 c# c++ cassandra chatgpt chromadb"
    " circleci clang clickhouse clojure cloudflare cloudfront cmake cmocka cockroachdb"
    " cocoapods codex couchbase couchdb cpython css cuda curl cython dagster databricks"
    " datadog dbt debian deno django docker dockerfile dotnet duckdb dynamodb ec2 ecs eks"
    " elasticsearch elixir emacs emscripten erlang esbuild eslint etcd express.js f# faiss"
    " fastapi fastify fedora ffmpeg figma firebase firefox firestore flake8 flutter flyway"
    " fortran freebsd fts5 gatsby gcc gcp gdb gerrit ghidra git github gitlab gnome golang"
    " gpt gradle grafana graphql grpc gunicorn gzip hadoop haproxy hashicorp haskell heroku"
    " hibernate homebrew html huggingface influxdb intellij ios ipfs istio jansson java"
    " javascript jdbc jekyll jenkins jest jetbrains jira jit jquery json jsonnet junit"
    " jupyter jvm jwt k3s k8s kafka keras keycloak kibana kinesis kotlin kotlinx ktor kubectl"
    " kubernetes kustomize langchain laravel ldap leveldb libcurl libfuzzer libgit2 lighttpd"
    " linux liquibase llama llvm lmdb lodash lua luajit mariadb markdown matplotlib maven"
    " memcached mercurial metabase minikube minio mlflow mongo mongodb mqtt msgpack mybatis"
    " mypy mysql nats neo4j nestjs netlify next.js nextjs nginx nixos node.js nodejs nomic"
    " npm nuget numba numpy nuxt oauth oauth2 objective-c ocaml ollama openai openapi"
    " opencode openshift openssl opentelemetry pandas parquet paypal perl pgbouncer pgvector"
    " php pinecone pip pipenv pnpm podman polars postcss postgis postgres postgresql postman"
    " powershell prisma prometheus protobuf pulumi puppeteer pydantic pylint pypi pytest"
    " python pytorch qdrant qt quarkus rabbitmq react react.js redhat redis redshift redux"
    " rocksdb rollup ruff rustc rxjs s3 sagemaker salesforce sanic scala scikit-learn scipy"
    " scrapy selenium sendgrid sequelize shopify sidekiq socket.io solidity solr sonarqube"
    " splunk spring-boot sqlalchemy sqlite sqlite3 sqlx sqs storybook supabase svelte"
    " sveltekit svn swagger swiftui symfony systemd tailwind tailwindcss tauri tensorflow"
    " terraform thrift tokio toml tree-sitter trino tsx turborepo twilio typeorm typescript"
    " ubuntu utf8proc uvicorn vagrant valgrind valkey vercel vim vite vitest vue vue.js vuejs"
    " wasm weaviate webassembly webgl webpack webrtc websocket websockets wireguard wordpress"
    " xcode xgboost xxhash yaml yarn zig zod zookeeper zsh zstd";

/* Stems of everyday words: counted over English conversation, encyclopaedic and technical texts,
 * kept where the word is nearly always written in lower case, then amended by hand. */
static const char common_stems[] =
    "abandon abbrevi abil abl aboard abort about abov absolut abstract abus academ acceler"
    " accept access accid accident acclaim accomplish accord account accumul accur achiev"
    " acknowledg acquir acronym across act action activ activist actor actress actual adapt"
    " add addit address adjac adjust admin administ administr admir admiss admit adopt ador"
    " adult advanc advantag adventur advertis advic aerial affect affili after afternoon"
    " afterward again against age agenc agent aggreg aggress ago agre ah aha ahead aid aim"
    " ain air aircraft airport aka ala albeit album alcohol alert algorithm alia alias align"
    " aliv all alleg allerg alloc allow allowlist almost alon along alongsid alpha alphanumer"
    " alreadi alright also alter altern although altogeth alway am amalgam amateur amaz"
    " ambigu amid among amongst amount an analysi analyt analyz anchor ancient and ani anim"
    " anniversari annot announc annual anoth answer ant anybodi anyhow anymor anyon anyth"
    " anyway anywher apart api app appar appear append appli applic appoint appreci approach"
    " appropri approv approxim apt arbitrari archipelago architect architectur archiv are"
    " area aren arent arg argu argument arm armi around arrang array arriv arrondiss articl"
    " artifact artist as asap ascend asid ask aspect aspir assembl assert asset assign assist"
    " associ assum assumpt astronom asynchron at athlet atmospher atom attach attack attempt"
    " attend attent attract attribut audienc audit aunt aut auth authent author auto autoconf"
    " autom automak automat autumn avail averag aviat avoid aw awar award away awesom aww"
    " babi bac back backend background backlog backport backslash backup backward backyard"
    " bad bake balanc ball band bandwidth bank banner bar base basi basic bassist batch battl"
    " be beach beat beauti becam becaus becom bed been beer befor began begin behalf behav"
    " behavior behaviour behind belief believ belong below bench benchmark beneath benefit"
    " bes besid best bestsel bet beta better between beyond big bigger biggest bike bill"
    " billion binari bind biograph biolog birth birthday bit bitmap blank blast bless block"
    " blog blue board bodi bomb bond bonus book bookshelf bool boolean boost boot bootstrap"
    " border born borough borrow boss both bought bound boundari bowl box brace bracket"
    " branch brand brb break breakfast breath breathtak breed bridg brief briefli bright"
    " brighten bring bro broad broadcast broke broken bronz brother brought btw bucket buddi"
    " budget buffer bug bugfix build built builtin bummer bump bunch bundl bus busi busiest"
    " businessman but button buy buzz by bye bypass byte cach cafe cake calcul calendar call"
    " callback caller calm came camera camp campaign campus can cancel candid cannot canon"
    " cant cap capabl capac capit captain captiv captur car card care career carri carrier"
    " cart case cast castl cat catch categori cater caught caus caution ceas celebr cell"
    " censu census center centr centuri ceo ceremoni certain certif certifi chain chair"
    " challeng champion chanc chang changelog channel chaotic chapter char charact"
    " characterist charg chariti chart charter chase chat check checkbox checkout checksum"
    " cheer chef cherish child childhood children chill chocol choic choos chore chose chosen"
    " chronolog chunk church circuit circul circumst citat cite citi citizen citizenship"
    " civil civilian claim clarifi clarinet class classic classifi claus clean cleanup clear"
    " click client climat climb clock clone close closer cloth cloud cluster coach coast"
    " coastal cockpit coconut code coffe coin cold collabor colleagu collect colleg collis"
    " colon coloni color column combin come comedi comedian comfi comfort command comment"
    " commerci commiss commit common communic communiti compact compani companion compar"
    " comparison compass compat compet competit compil complain complet complex complianc"
    " complic compon compos composit compress compris comput concaten concentr concept"
    " concern concert conclud concurr condit conduct confid config configur confirm conflict"
    " conform confus congrat congratul congreg congression conjunct connect conquer consecut"
    " consequ consid consider consist consol consolid const constant constitu constitut"
    " constrain constraint construct constructor consult consum contact contain contemporari"
    " content contest context contin continu contract contractor contribut control"
    " controversi conveni convent convers convert convey convinc cook cooki cool cooler"
    " cooper coordin copi copyright cor core corner correct correspond corrupt cost could"
    " couldn couldnt counsel count counter counterpart counti countri coup coupl courag cours"
    " court cousin cover coverag cowork cozi cpu crash crazi cream creat creation creativ"
    " creator creatur credenti credit crew cricket crime crimin crisi criteria critic cron"
    " cross crowd crucial cto cuddl cuisin cultiv cultur curious currenc current custom cut"
    " cute cycl dad daddi daemon daili damag danc dancer dash dashboard dat data databas"
    " dataset date datetim daughter day dead deadlin deal dear death debat debt debug debut"
    " decad decid decim decis declar declin decod decommiss decompress decor decreas dedic"
    " deep default defeat defend defens defer defin definit degrad degre del delay deleg"
    " delet delici delimit deliv demand demo democraci demonstr deni denomin denot dens"
    " depart depend depict deploy deprec depth deriv descend describ descript descriptor"
    " desert deserv design desir despit dessert destin destroy destruct detach detail detect"
    " determin dev develop devic devot diagnos diagnost dialect dialogu did didn didnt die"
    " diet diff differ difficult difficulti digest digit dinner diplomat dir direct director"
    " directori disabl disc discard discov discuss dish disk dismiss display disput distanc"
    " distinct distinguish distribut district divers divid divis divorc do doc doctor doctrin"
    " document documentari doe doesn doesnt dog doggi domain domest domin don donat done dont"
    " door dot doubl doubt down download dpk draft drain drama dramat draw drawn dream drew"
    " dri drift drink drive driver drop dropdown drove drum drummer dual dude due dummi dump"
    " duplic durat dure duti dynam each eager earli earlier earliest earn easi easier easili"
    " eat echo economi edg edit editor educ effect effici effort eight eighth either elder"
    " eldest elect elector electr electron element elev eleven eleventh elimin els emai email"
    " emb embed embrac emerg emit emot empir employ employe empow empti emul enabl encapsul"
    " enclos encod encompass encourag encrypt end endian endors endpoint energ energi enforc"
    " engag engin enhanc enjoy enough ensembl ensur enter enthusiasm entir entiti entitl"
    " entrepreneur entri enum enumer env environ epic episod equal equip equival era erect"
    " erro error escap especi essenti establish estim etag etc ethnic euro evalu even event"
    " eventu ever everi everybodi everyday everyon everyth everywher evid evolv exact exam"
    " examin exampl exceed excel except excess exchang excit exclud exclus exec execut"
    " exercis exhaust exhibit exil exist exit expand expans expect expens experi experienc"
    " experiment expert expir explain explicit explor export expos express ext extend extens"
    " extent extern extra extract face facil fact facto factor fail failur fair fall fallback"
    " fals fam famili famous fan fantasi fantast faq far farm farmer fascin fashion fast"
    " faster fatal father fave favor favorit featur feed feedback feel feet fell fellow felt"
    " femal festiv fetch few fewer fiction field fifteen fifth fifti fight figur fil file"
    " filenam filesystem fill film filmmak filter final financ financi find fine finger"
    " finish fir fire firewal firm first fit five fix fixm fixtur flag flat flavor fleet"
    " flexibl flight float flood floor flow flower flush flute focus fold folder folk follow"
    " font foo food footer for forc foreign forest forev forget forgot fork form formal"
    " format formatt former forti forward fought found foundat founder four fourth fragment"
    " frame framework franchis free freedom freez frequent fresh friend friendship from front"
    " frontend frontman fruit frustrat fuel fulfil full fulli fun function fundament funni"
    " fur furri further furthermor futur fyi gain gallantri game garag garden gateway gather"
    " gave gear gender general generat generic genr geograph get giant gift girlfriend give"
    " given glad glob global go goal goe gold gone gonna good goodby gorgeous gosh got gotcha"
    " goto gotta gotten govern governor grab grade gradual graduat grammar grandfath grandma"
    " grandmoth grandpa grant graph graphic grate gratitud great greater greatest green greet"
    " grep grew groom ground group grow grown growth guarante guard guess guest guid guitar"
    " guitarist gut guy gym gzip ha habit hack had hadn hadnt haha hahaha hair half hall hand"
    " handl handler hang happen happi har hard hardwar has hash hasn hasnt hate have haven"
    " havent he head header headlin headquart health healthi healthier heap hear heard heart"
    " heartwarm heat heavi hectic height hel held hello help helper henc her here herself hex"
    " hexadecim hey hi hidden hide hierarchi high higher highest highlight hike hill him"
    " himself hint hire his histor histori historian hit hmm hobbi hold holder home homeless"
    " homepag honest honor hook hooray hope horror hors host hostnam hotel hotfix hour hous"
    " how howev http https hub huge huh human humid humor hundr hurray hurt husband hype"
    " hyphen ice icon id idea ideal ident identifi idk idl if ignor iii illeg illustr imag"
    " imagin imho immedi immers immigr imo impact implement impli implicit import imposs"
    " impress improv in inact inch incid incident includ inclus incom incompat incomplet"
    " inconsist incorpor incorrect increas incred increment incumb inde indent independ index"
    " indic indirect individu industri infinit influenc influenti info inform infrastructur"
    " ingress inhabit inherit init initi initrd inject injur injuri inlin inner innov inod"
    " input insan insert insid insight inspect inspir instal instanc instanti instead"
    " institut instruct instrument int integ integr intellig intend intens intent interact"
    " interconnect interest interfac intermedi intern internet internship interpret interrupt"
    " intersect interv interview into intrins introduc introduct invad invalid invas invent"
    " inventori invest investig investor invit invoc invoic invok involv iron is island isn"
    " isnt isol issu it item iter itself jeez job join joint journal journalist journey json"
    " judg judici jump jumper junction jurisdict just justif keen keep kept kernel key"
    " keyboard keyr keyword kick kid kill kilometr kind kinda kitchen kms knee knew know"
    " knowledg known label laboratori lack laid lake land landlock landmark landscap languag"
    " larg larger largest last late latenc later latest latitud latter laugh launch law"
    " lawyer layer layout lead leader leadership leagu leak learn least leav lectur led left"
    " leg legaci legal legislatur length lent less lesson let letter level leverag"
    " lexicograph lib librari licens lie life lifestyl lifetim lift light lik like likewis"
    " limit line link linker linter list listen lit liter literari literatur littl live ll"
    " lmao load loader loan local locat lock locomot log logic login logo lol lon long longer"
    " longest longitud longtim look lookup loop loos lose loss lost lot love low lower"
    " lowercas lowest loyal luck lucki luckili lunch luxuri lyric machin macro made magic"
    " mail main mainland maintain mainten major make male malloc man manag mandat mandatori"
    " mani manipul manner manpag mansion manual manufactur map margin maritim market marri"
    " marriag martial mask mass master match mate materi matter max maximum may mayb mayor me"
    " meal mean meaning meant meanwhil measur mechan medal media medit medium meet member"
    " membership memcpi memor memori men mental mention mentor mere merg merger mess messag"
    " met metadata metal meter method metr metric metropolitan middl middlewar midfield might"
    " mightn mightnt migrat mild mile mileston militari milk million min mind mine minim"
    " minimum minist minor minut mirror mislead mismatch miss mission missionari mistak mitig"
    " mix mobil mock mockup mod modal mode model moder modern modif modifi modul mom moment"
    " mommi monarch money monitor monsoon monster month mood more moreov morn most mother"
    " motiv mount mountain mouth move movement movi mso much mult multi multilib multipl"
    " multipli mum municip murder music musician must mustn mustnt mutual my myself mysteri"
    " name namespac narrat narrow nation nativ natur naval navbar near nearbi nearest"
    " necessari necessarili necklac need neednt negat negoti neighbor neighborhood neighbour"
    " neither nerv nervous nest network neutral never nevertheless new newer newli newlin"
    " news newspap next nice nicer nicknam night nine ninth no nobodi node nomin non none"
    " nonetheless nope nor normal nort northeast northeastern northwestern not notabl notat"
    " note notebook noth notic notif notifi novel novelist now nowaday nowher nuclear null"
    " number numer nurs object observ obsolet obstacl obtain obvious occasion occup occupi"
    " occur occurr ocean octal of off offer offic offici offload offset often oh oil ok okay"
    " old older oldest omega omg omit on onboard onc one onli onlin onto ope open oper opera"
    " operand opinion oppon opportun oppos opposit opt optic optim optimist option or"
    " orchestr order org organ organis origin other otherwis ouch our ourselv out outag"
    " outbreak outdoor outgo outlet outlook output outsid over overal overcom overflow"
    " overhead overlap overload overrid overridden oversea overview overwhelm overwrit own"
    " owner ownership pack packag packet pad page paid pain paint painter pair palett paper"
    " paragraph parallel param paramet parent parenthes parish park pars parser part parti"
    " partial particip particl particular partit partner partnership pass passag passeng"
    " passion password past pastri patch path pathnam patienc pattern paus pay payload"
    " payment peac peak pee peer pend peopl per percentag perfect perform perhap period"
    " perman permiss permit persever persist person perspect pet phase philosoph phone photo"
    " photograph photographi phrase physic pianist piano pic pick picnic pictur pid piec"
    " pilot pin ping pioneer pipe pipelin pitch pizza place plain plan plane plant platform"
    " play playdat player playoff playwright pleas plot plugin plus poem poet poetri point"
    " pointer poison polic polici polish polit politician poll pool pop popul popular port"
    " portabl portion portray pos pose posit possess possibl post poster posthum postmortem"
    " potenti potteri power practic prais pre preambl preced precipit precis predecessor"
    " predefin predomin prefer prefix premier prepar prepend presenc present preserv"
    " presidenti pressur presum pretti prevent previous priceless pride primari primarili"
    " prime princip principl print printf prior priorit prioriti prison privat privileg prize"
    " probabl problem procedur proceed process processor produc product profession professor"
    " profil program programm progress prohibit project promin promis promot prompt pronounc"
    " propag proper properti propos protect protocol prototyp proud prove provid provinc"
    " proxi prs pseudo psycholog public publish pull pump pup puppi purchas pure purpos pursu"
    " push put puzzl qualifi qualiti quarter queri question queue quick quiet quit quot quota"
    " race radio railway rain rainfal rais ran random rang rank rap rapper rare rate rather"
    " ratio raw re rea reach reaction read readabl reader readi real realiti realiz realli"
    " reason reboot rebuild recal receiv recent recept recharg recip recogn recognis recognit"
    " recommend reconnect record recov recoveri recur recurs red redesign redirect"
    " redistribut reduc reduct redund ref refactor refer referenc refin reflect reform"
    " refresh refus regard regardless regener regex regga regim region regist regress regular"
    " reinforc reject relat relationship relax releas relev reli reliabl relief reliev religi"
    " religion reload reloc remain remaind remak remark rememb remind remix remot remov renam"
    " render renew renown reopen reorder repair repeat replac repli replic replica repo"
    " report repositori repres represent repris reproduc request requir rescu research"
    " resembl reserv reset resid residenti resign resili resist resiz resolut resolv resourc"
    " respect respond respons rest restart restaur restor restrict result resum retail retain"
    " retir retreat retri retriev retro return reus reveal revers revert review revis revolv"
    " reward rewrit rhythm rich ride rifl right rip rise risk rival river road roadmap roast"
    " robust role roll rollback rollercoast rollout romant room roommat root rotat rough"
    " round rout router routin row rule ruler run runtim rural rush sad safe safeti said"
    " sailor sale same sampl sanction sat satellit satir satisfi save saw say scalar scale"
    " scan scare scari scenario scene sceneri schedul schema scheme scholar school scienc"
    " scientif scope score scorer screen screenplay screenshot screenwrit script sea search"
    " season seat secon second secondari secret section sector secular secur see seed seek"
    " seem seen segfault segment sel seldom select self sell semant semicolon seminar send"
    " senior sens sensit sent sentenc separ sequel sequenc seren seri serial serious serv"
    " server servic session set setback settl settlement setup seven seventeen seventh sever"
    " sex sexual shadow shall shan shant shape shard share sharp she shell shelter shift"
    " shine ship shoot shop shore short shot should shouldn shouldnt show shown shut shutdown"
    " sibl side sidebar sight sign signal signatur signific signup silent silver similar"
    " simpl simpler simpli simplifi simul simultan sinc sing singer singl sir sister sit"
    " sitcom site situat six sixth size sketch ski skill skip slash slave sleep slice slight"
    " slogan slot slow slowli small smaller smell smile smooth snack snake snap snapshot"
    " snippet snow snowfal so soak soap soccer social societi socket softwar sold soldier"
    " sole solid solo solut solv some somebodi someday somehow someon someth sometim somewhat"
    " somewher son sonata song songwrit soon sooner sooth sorri sort sought soul sound"
    " soundtrack sourc sout southeast southeastern southwest southwestern sovereign space"
    " span spark spars spawn speak speaker spec speci special specialis specialist specif"
    " specifi speed spell spend spent spin split spoke sponsor sport spot spread spring"
    " sprint sql squar src ssh stabl stack staff stage stakehold stand standard standup star"
    " start startup state statement static station statist status stay stderr stdin stdout"
    " steam steel step stick still stoke stood stop storag store stori storm storylin"
    " storytel strang strategi stream street strength strengthen stress stretch strict strike"
    " string strip strive stroll strong stronger struck struct structur struggl stub stuck"
    " student studi studio stuff stun style sub subdirectori subject submit subnet subscrib"
    " subscript subsect subsequ subset subsidiari substitut subsystem subtitl suburb suburban"
    " succeed success successor such sudden suffer suffici suffix suggest suit suitabl sum"
    " summari summer summit sun sunset super superblock superhero supersed suppli support"
    " suppos suppress sure surf surfac surpass surpris surrend surround surviv sus sushi"
    " suspect suspend sustain swap sweet swim switch sworn symbol symlink sync synchron"
    " synonym syntax syslog system tab tabl tackl tag tail take taken talent talk tank tarbal"
    " targ target task tast tasti tattoo taught tax tba tbd tea teach teacher team teammat"
    " tech technic techniqu technolog teenag televis tell temperatur templat temporari"
    " temporarili ten tenth term termin territori test tester testsuit text textual than"
    " thank that the theater their them theme themselv then theori therapeut therapi there"
    " therefor these they thing think thir third thirteen thirti this those though thought"
    " thousand thread threat three threshold threw thrill thriller throttl through throughout"
    " throughput throw thus thx ticket tie tier till time timeout timer timestamp tini tip"
    " titl tldr to today todo togeth token told toler tomorrow ton tone tonight too took tool"
    " tooltip top topic tornado total touch tough tour tourist tournament toward tower town"
    " township trace track tracker trade tradit traffic trail train tranquil transact"
    " transfer transform transgend transit translat transmiss transmit transmitt transport"
    " trap travel travers treat treati tree tri trial tribe tribut tributari trick tricki"
    " trigger trim trip trivial troop trophi tropic troubl true truli truncat trust tti tune"
    " tunnel tupl turbin turn turtl tweak twelv twenti twice two type typedef typic typo ugh"
    " uid ultim umm unabl unavail unblock unbreak unchang uncl uncondit undefin under"
    " undergradu underneath underscor understand understood undo unexpect unforgett unfortun"
    " unifi uniform unincorpor uniniti union uniqu unit unknown unless unlik unmount"
    " unnecessari unpack unreal unset unsign unspecifi unstabl unsupport unsur unsurpris"
    " until unto unus unusu up upcom updat upgrad uplift upload upon upper upset upstream"
    " urban urgenc uri url us usabl usag use useless user usernam userspac usual utc uti util"
    " vacat valid valu vanish var vari variabl variant variat varieti various vast ve vector"
    " vendor venu verbatim verbos veri verif verifi version versus veteran via vibe vibrant"
    " victori video view villag violat violenc violent violin virtual visibl visit visual"
    " vital vocal vocalist voic void volatil volum volunt vote vs vulner wait walk wanna want"
    " war warm warn warranti was wasn wasnt wast watch water waterfal watersh way we weak"
    " wealth weapon wear weather web webhook websit wed week weekend weigh weight wel welcom"
    " well went were weren werent what whatev wheel when whenev where wherea wherebi wherein"
    " wherev whether whi which whichev while white whitespac who whoever whole whom whose"
    " wide widespread width wife wild wildcard will win wind window wine wing winner winter"
    " wip wire wirefram wish with within without woman women won wonder wont word wore work"
    " workaround worker workflow workload workout workshop world worldwid worri wors worst"
    " worth would wouldn wouldnt wow wrap wrapper writabl write writer written wrong wrote"
    " xxx yay yeah year yep yes yesterday yet yield yike yo yoga you young younger youngest"
    " your yourself yourselv youth yummi yup zero zone";

static bool search(str list, str word)
{
    size_t low = 0, high = list.len; /* the word lies in list[low, high), both at word bounds */
    while (low < high) {
        size_t from = low + (high - low) / 2, same = 0;
        while (from > low && list.at[from - 1] != ' ')
            from--;
        while (same < word.len && from + same < high && list.at[from + same] == word.at[same])
            same++;
        /* a space, smaller than all that words are made of, ends each word of the list */
        unsigned char theirs = from + same < high ? (unsigned char)list.at[from + same] : ' ';
        unsigned char ours = same < word.len ? (unsigned char)word.at[same] : ' ';
        if (ours == theirs)
            return word.len > 0;
        if (ours < theirs) {
            high = from;
            continue;
        }
        low = from + same;
        while (low < high && list.at[low] != ' ')
            low++;
        low++;
    }
    return false;
}

bool word_list_has(str list, str word)
{
    unsigned has;
    if (!word_recall(list.at, word, &has)) {
        has = search(list, word);
        word_remember(list.at, word, has);
    }
    return has;
}

bool word_is_stop(str word)
{
    enum { LONGEST = sizeof "yourselves" - 1 };
    return word.len <= LONGEST && word_list_has(LIST(stops), word);
}

bool word_is_calendar(str word)
{
    return word_list_has(LIST(calendar), word);
}

/* Whether the verbs hold `base`, or `base` and an e, or `base` without its doubled last letter. */
static bool has_verb(str base)
{
    enum { MAX_VERB_BYTES = 24 };
    char with_e[MAX_VERB_BYTES];
    if (base.len < 2 || base.len >= sizeof with_e)
        return false;
    if (word_list_has(LIST(verbs), base))
        return true;
    memcpy(with_e, base.at, base.len);
    with_e[base.len] = 'e';
    if (word_list_has(LIST(verbs), str_from(with_e, base.len + 1)))
        return true;
    bool doubled = base.at[base.len - 1] == base.at[base.len - 2];
    return doubled && word_list_has(LIST(verbs), str_cut(base, 0, base.len - 1));
}

/* Regular forms: "adds", "fixes", "copies", "moved", "copied", "running". */
static bool is_verb(str word)
{
    static const struct {
        str ending;
        bool from_y;
    } forms[] = {{{"", 0}, false},    {{"s", 1}, false},  {{"es", 2}, false}, {{"ed", 2}, false},
                 {{"ing", 3}, false}, {{"ies", 3}, true}, {{"ied", 3}, true}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!str_ends(word, forms[i].ending))
            continue;
        str base = str_cut(word, 0, word.len - forms[i].ending.len);
        char with_y[MAX_STEM_BYTES];
        if (forms[i].from_y && base.len < sizeof with_y) {
            memcpy(with_y, base.at, base.len);
            with_y[base.len] = 'y';
            base = str_from(with_y, base.len + 1);
        }
        if (has_verb(base))
            return true;
    }
    return false;
}

bool word_is_opener(str word)
{
    if (word_list_has(LIST(openers), word))
        return true;
    return is_verb(word) && !word_list_has(LIST(not_verbs), word);
}

bool word_is_german_stop(str word)
{
    return word_list_has(LIST(german_stops), word);
}

bool word_is_given_name(str word)
{
    return word_list_has(LIST(given_names), word);
}

bool word_is_technology(str word)
{
    return word_list_has(LIST(technologies), word);
}

bool word_is_generic(str name)
{
    enum { MAX_GENERIC_BYTES = 32 };
    char joined[MAX_GENERIC_BYTES];
    if (name.len > sizeof joined)
        return false;
    for (size_t i = 0; i < name.len; i++)
        joined[i] = name.at[i] == ' ' ? '-' : name.at[i];
    return word_list_has(LIST(generics), str_from(joined, name.len));
}

bool word_is_common(str word)
{
    static const char question[] = "common";
    char stem[MAX_STEM_BYTES];
    unsigned yes;
    if (!word_recall(question, word, &yes)) {
        size_t len = stem_english(word, stem);
        yes = search(LIST(common_stems), str_from(stem, len));
        word_remember(question, word, yes);
    }
    return yes;
}
